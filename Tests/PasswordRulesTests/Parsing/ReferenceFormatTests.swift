import PasswordRules
import TestSupport
import Testing

struct ReferenceFormatTests {
  private struct Row: Decodable {
    let input: String
    let canonical: String
    let minified: String
  }

  @Test(
    .enabled(if: SharedData.isAvailable, "the reference parser's outputs are not on this machine"),
    arguments: ["canonical.jsonl", "canonical-documented.jsonl"])
  func agreesWithTheReferenceParser(file: String) throws {
    let rows: [Row] = try SharedData.lines(of: file)
    #expect(rows.count > 100)
    for row in rows {
      #expect(ReferenceFormat.canonical.text(for: row.input) == row.canonical, "\(row.input)")
      #expect(ReferenceFormat.minified.text(for: row.input) == row.minified, "\(row.input)")
    }
  }
}
