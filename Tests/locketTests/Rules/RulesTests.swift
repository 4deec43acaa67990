import PasswordRules
import TestSupport
import Testing

final class RulesTests: ToolTests {
  @Test(arguments: [
    ([], 20), (["--length", "7"], 7), (["--typeable"], 20), (["--length", "200", "--any"], 200),
  ])
  func passwordsSatisfyTheRules(options: [String], length: Int) throws {
    let descriptor = "required: digit; required: upper; allowed: lower, [-]; max-repeating: 2;"
    let generated = try machine.run("rules generate -n 50".words + options + [descriptor])
    let passwords = try generated.success.split(separator: "\n")
    #expect(passwords.count == 50 && Set(passwords).count > 45)
    let rules = try PasswordRuleSet(descriptor)
    #expect(passwords.allSatisfy { $0.count == length && rules.isSatisfied(by: $0) })
    #expect(try machine.output("rules generate", descriptor).utf8.count == 21)
  }
}
