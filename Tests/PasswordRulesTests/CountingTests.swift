import Testing

@testable import PasswordRules

struct CountingTests {
  private struct Row: Decodable {
    let rules: String
    let length: Int
    let any: String
    let distinct: String
  }

  @Test(.enabled(if: SharedData.isAvailable, "the exact counts are not on this machine"))
  func countsAgreeWithAnotherCounter() throws {
    for row in try SharedData.lines(of: "counts.jsonl") as [Row] {
      let rules = try PasswordRuleSet(row.rules)
      #expect(try rules.count(length: row.length).description == row.distinct, "\(row.rules)")
      let any = try rules.count(length: row.length, reading: .any)
      #expect(any.description == row.any, "\(row.rules)")
    }
  }
}
