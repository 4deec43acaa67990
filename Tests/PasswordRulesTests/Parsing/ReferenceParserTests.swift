import PasswordRules
import TestSupport
import Testing

/// The agreement of parsing modes and formats with recorded output of the reference parser.
@Suite(
  .enabled(if: SharedData.isAvailable, "the reference parser's outputs are not on this machine"))
struct ReferenceParserTests {
  private struct Row: Decodable {
    let input: String
    let canonical: String
    let minified: String
    let wellFormed: Bool
  }

  @Test(arguments: ["canonical.jsonl", "canonical-documented.jsonl"])
  func strictModeMatchesReferenceParser(file: String) throws {
    let rows: [Row] = try SharedData.lines(of: file)
    for row in rows {
      let lenient = try PasswordRuleSet(row.input, mode: .lenient)
      do {
        let (strict, warnings) = try PasswordRuleSet.parse(row.input)
        // The reference parser does not know this class.
        if !row.input.lowercased().contains("digits") { #expect(strict == lenient, "\(row.input)") }
        #expect(row.wellFormed || !warnings.isEmpty, "accepted: \(row.input)")
        #expect(try PasswordRuleSet(strict.descriptor) == strict, "\(strict.descriptor)")
      } catch let error as PasswordRulesError {
        let issue = try #require(error.issue)
        let isTooLarge = issue.message.hasPrefix("The number is greater than")
        #expect(!row.wellFormed || isTooLarge, "\(row.input) \(error)")
        #expect(issue.range.upperBound <= row.input.unicodeScalars.count)
      }
    }
  }

  @Test(arguments: ["canonical.jsonl", "canonical-documented.jsonl"])
  func formatsMatchReferenceParser(file: String) throws {
    let rows: [Row] = try SharedData.lines(of: file)
    #expect(rows.count > 100)
    for row in rows {
      #expect(ReferenceFormat.canonical.text(for: row.input) == row.canonical, "\(row.input)")
      #expect(ReferenceFormat.minified.text(for: row.input) == row.minified, "\(row.input)")
    }
  }
}
