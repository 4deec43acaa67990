import PasswordRules
import TestSupport
import Testing

/// The reference parser's observed results, especially its quirks.
struct ReferenceQuirksTests {
  private struct Row: Decodable {
    let input: String
    let canonical: String
    let minified: String
  }

  @Test func outputMatchesReferenceParser() throws {
    for row in try Fixture.rows("reference-quirks", as: Row.self) {
      #expect(ReferenceFormat.canonical.text(for: row.input) == row.canonical, "\(row)")
      #expect(ReferenceFormat.minified.text(for: row.input) == row.minified, "\(row)")
      // Reading the result again yields the same rules.
      let rules = try PasswordRuleSet(row.input, mode: .lenient)
      let text = row.minified.isEmpty ? row.canonical : rules.descriptor
      #expect(try PasswordRuleSet(text) == rules, "\(row)")
    }
  }

  @Test(arguments: [
    ("123456789012345678901", "123456789012345680000"),
    ("1234567890123456789012", "1.2345678901234568e+21"), ("1e5", nil),
    (String(repeating: "9", count: 400), "Infinity"),
  ])
  func numbersHaveJavaScriptFormat(digits: String, printed: String?) {
    let text = ReferenceFormat.minified.text(for: "minlength: \(digits)")
    #expect(text == (printed.map { "minlength: \($0);" } ?? ""))
  }

  @Test func numbersAboveIntMaxAreClamped() throws {
    let rules = try PasswordRuleSet("maxlength: 99999999999999999999999", mode: .lenient)
    #expect(rules.maxLength == .max)
  }
}
