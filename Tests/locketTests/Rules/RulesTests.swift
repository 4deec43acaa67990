import PasswordRules
import TestSupport
import Testing

struct RulesTests {
  private static let descriptor = """
    required: upper; required: digit; allowed: lower; max-repeating: 2; minlength: 6; maxlength: 8;
    """

  private let machine: Machine

  init() throws { machine = try Machine() }

  @Test(arguments: [
    (
      "abbbb!?xxx", 1,
      """
      violated    required: upper
      violated    required: digit
      violated    allowed: upper, lower, digit  (characters 6 to 7)
      violated    max-repeating: 2  (characters 2 to 5, 8 to 10)
      satisfied   minlength: 6
      violated    maxlength: 8  (characters 9 to 10)
      Delete or replace some characters.
      """
    ),
    (
      "abcdefg", 1,
      """
      violated    required: upper
      violated    required: digit
      satisfied   allowed: upper, lower, digit
      satisfied   max-repeating: 2
      satisfied   minlength: 6
      satisfied   maxlength: 8
      2 required characters are missing, but the maximum length leaves room for only 1. \
      Delete or replace some characters.
      """
    ),
    (
      "Abcdef1\n", 0,
      """
      satisfied   required: upper
      satisfied   required: digit
      satisfied   allowed: upper, lower, digit
      satisfied   max-repeating: 2
      satisfied   minlength: 6
      satisfied   maxlength: 8
      The password satisfies all rules.
      """
    ),
  ])
  func passwordIsCheckedByEachRule(password: String, status: Int32, list: String) throws {
    let ended = try machine.run("rules check", Self.descriptor, input: password)
    #expect(ended.output == list + "\n")
    #expect(ended.status == status && ended.errors == "")
  }

  @Test(arguments: [
    ("required: digit; maxlength: 3;", "aé?4", "violated    allowed: digit  (characters 1 to 3)\n"),
    ("", "é", "violated    allowed: ascii-printable  (character 1)\n"),
    (
      "required: upper; maxlength: 2; minlength: 3;", "",
      "minlength 3 is greater than maxlength 2. Relax one of them, or choose another length.\n"
    ),
    ("allowed: [a]; max-repeating: 2; minlength: 2;", "aaa", "(characters 1 to 3)\n"),
    (
      "allowed: [ab]; max-consecutive: 1; maxlength: 2; minlength: 2;", "a", "No password satisfies"
    ),
  ])
  func violationIsExplained(descriptor: String, password: String, text: String) throws {
    let ended = try machine.run("rules check", descriptor, input: password)
    #expect(ended.output.contains(text), "\(ended.output)")
    #expect(ended.status == 1)
  }

  @Test func oneCharacterMeetsTwoRequirementsOnRequest() throws {
    let descriptor = "required: digit; required: digit;"
    #expect(try machine.run("rules check", descriptor, input: "1").status == 1)
    try machine.output("rules check --any", descriptor, input: "1")
  }

  @Test func passwordThatIsNotTextIsAnError() throws {
    let ended = try machine.shell("printf '\\377' | \"$0\" rules check ''")
    #expect(ended.status == 2 && ended.output == "")
    #expect(ended.errors == "locket: The password is not valid UTF-8.\n")
    let closed = try machine.shell("\"$0\" rules check '' <&-")
    #expect(closed.status == 2)
    #expect(closed.errors.hasPrefix("locket: standard input cannot be read: "))
  }

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

  @Test(arguments: [
    (["minlength: 2; maxlength: 1;"], "No password satisfies these rules: minlength 2 is"),
    (["maxlength: 4;", "--length", "5"], "No password satisfies these rules: none has 5"),
    (["", "--length", "1025"], "Passwords of 1025 characters are too long to count."),
    (
      ["maxlength: 17;", "--typeable"],
      "No password of this kind satisfies the rules: it has 20 characters, and maxlength is 17."
    ),
    (["required: [ ]; maxlength: 2;"], "No password of this kind satisfies the rules: each one"),
  ])
  func unsatisfiableRulesAreAnError(words: [String], reason: String) throws {
    let ended = try machine.run(["rules", "generate"] + words)
    #expect(ended.status == 2 && ended.output == "")
    #expect(ended.errors.hasPrefix("locket: \(reason)"))
  }

  @Test(arguments: [
    (
      "required: digit; allowed: lower; maxlength: 16;", "allowed: lower, digit; maxlength: 20;",
      """
      stricter
        now also requires a digit
        at most 16 characters instead of 20
      only B accepts ""
      """
    ),
    ("allowed: lower", "allowed: lower", "equal"),
    (
      "required: [ ]", "required: [\"]",
      """
      incomparable
        now also requires one of [ ]
        no longer requires one of ["]
        now also allows [ ]
        no longer allows ["]
      only A accepts " "
      only B accepts "\\""
      """
    ),
  ])
  func rulesAreCompared(first: String, second: String, text: String) throws {
    #expect(try machine.output("rules compare", first, second) == text + "\n")
  }

  @Test func comparisonMayAllowOneCharacterForTwo() throws {
    let (two, one) = ("required: digit; required: digit;", "required: digit;")
    #expect(try machine.output("rules compare", two, one).hasPrefix("stricter\n"))
    #expect(try machine.output("rules compare --any", two, one).hasPrefix("equal\n"))
  }

  @Test(arguments: ["A", "B"]) func unreadableDescriptorIsNamed(name: String) throws {
    let words = name == "A" ? ["minlength: x", ""] : ["", "minlength: x"]
    let ended = try machine.run(["rules", "compare"] + words)
    #expect(ended.status == 2 && ended.output == "")
    #expect(ended.errors.hasPrefix("locket: \(name) cannot be read. At character 12: "))
    #expect(ended.errors.hasSuffix("\n  minlength: x\n             ^\n"))
  }
}
