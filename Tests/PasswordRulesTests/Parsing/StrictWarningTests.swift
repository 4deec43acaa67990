import PasswordRules
import TestSupport
import Testing

/// Input that strict reading accepts, but that misleads, and similar input without a warning.
struct StrictWarningTests {
  private struct Row: Decodable {
    let descriptor: String
    let ranges: [[Int]]
    let replacement: String?
    let canonical: String
  }

  @Test func warningHasRangeAndReplacement() throws {
    for row in try Fixture.rows("strict-warnings", as: Row.self) {
      #expect(throws: Never.self, "\(row)") {
        let (rules, warnings) = try PasswordRuleSet.parse(row.descriptor)
        #expect(rules.descriptor == row.canonical, "\(row)")
        #expect(try PasswordRuleSet(rules.descriptor) == rules, "\(row)")
        let ranges = warnings.map { [$0.range.lowerBound, $0.range.upperBound] }
        #expect(ranges.sorted { $0[0] < $1[0] } == row.ranges, "\(row)")
        let hasReplacement = warnings.contains { $0.replacement == row.replacement }
        #expect(hasReplacement == !row.ranges.isEmpty, "\(row)")
      }
    }
  }

  @Test func appliedSuggestionsCauseNoWarning() throws {
    for (text, meant) in [
      ("allowed: [a-z];", "allowed: lower;"), ("allowed: [a-]];", "allowed: [-a]];"),
      ("required: digits; allowed: lower;", "required: digit; allowed: lower;"),
      ("required: digit ", "required: digit ; allowed: ascii-printable;"),
      ("required: digit; ", "required: digit; allowed: ascii-printable;"),
    ] {
      let warning = try #require(try PasswordRuleSet.parse(text).warnings.first)
      var scalars = Array(text.unicodeScalars)
      scalars.replaceSubrange(warning.range, with: (warning.replacement ?? "").unicodeScalars)
      let mended = String(String.UnicodeScalarView(scalars))
      #expect(mended == meant)
      #expect(try PasswordRuleSet.parse(mended).warnings.isEmpty)
    }
  }

  @Test func descriptionContainsSolution() throws {
    let warning = try #require(try PasswordRuleSet.parse("required: digits").warnings.first)
    #expect(
      warning.description == "Other parsers do not recognize `digits`. Write `digit` instead.")
    let error = #expect(throws: PasswordRulesError.self) { try PasswordRuleSet("minlength: 8 ;") }
    #expect(error?.description == "At character 13: Unexpected space after the number. Remove it.")
  }
}
