import PasswordRules
import Testing

struct PrintingTests {
  @Test(arguments: [
    "required: upper, [-a]]", "allowed: unicode", "max-sequential: 2", "minlength: 8",
  ])
  func aRuleAloneIsPrintedWithoutSemicolon(text: String) throws {
    #expect(try PasswordRuleSet(text).rules.map(\.description) == [text])
  }

  @Test func whatIsPrintedIsReadBackAsTheSame() throws {
    var random = RandomRules(seed: 8)
    for _ in 0..<500 {
      let rules = random.next()
      #expect(try PasswordRuleSet(rules.descriptor) == rules)
      let compatible = try PasswordRuleSet(rules.descriptor(for: .compatible))
      #expect(compatible.descriptor == rules.descriptor(for: .compatible))
      #expect(compatible.maxRepeating == nil && compatible.maxSequential == nil)
    }
  }

  @Test(arguments: [
    "allowed: [-a]];", "allowed: [-]];", "required: [-];", "required: []]; allowed: lower;",
    "required: ascii-printable; allowed: unicode;", "allowed: unicode; required: ascii-printable;",
    "required: unicode; allowed: [a];", "allowed: [\"'&<>];",
  ])
  func whatIsHardToPrintIsReadBackAsTheSame(descriptor: String) throws {
    let rules = try PasswordRuleSet(descriptor)
    #expect(try PasswordRuleSet(rules.descriptor) == rules)
  }

  @Test func attributeIsEscaped() throws {
    let rules = try PasswordRuleSet("allowed: [\"'&<>];")
    #expect(rules.htmlAttribute == "passwordrules=\"allowed: [&quot;&amp;&#x27;&lt;&gt;];\"")
  }

  @Test func mergingKeepsWhatAllDemand() throws {
    let field = try PasswordRuleSet("required: digit; allowed: lower, upper; minlength: 8;")
    let site = try PasswordRuleSet("required: digit; allowed: lower; maxlength: 12;")
    let merged = try PasswordRuleSet(merging: [field, site])
    #expect(
      merged.descriptor == "required: digit; allowed: lower, digit; minlength: 8; maxlength: 12;")
    #expect(throws: PasswordRulesError.self) {
      try PasswordRuleSet(merging: [field, [.allowed(.special)]])
    }
  }

  /// Such texts must not take time that grows with their length's square, nor trap.
  @Test(arguments: ["a", "[", "-", ";", "\u{A0}", "é", "required: [é-", "required: upper, ", "9"])
  func longTextsAreReadOrRefused(piece: String) {
    let long = String(repeating: piece, count: 1_000_000 / piece.utf8.count)
    for text in [long, "minlength: \(long)", "allowed: [\(long)];"] {
      _ = try? PasswordRuleSet.parse(text)
      _ = ReferenceFormat.minified.text(for: text)
    }
  }

  @Test func tenThousandRulesAreRead() throws {
    let text = String(repeating: "required: [a-z]; ", count: 10_000)
    #expect(try PasswordRuleSet.parse(text).warnings.count == 10_000)
  }
}
