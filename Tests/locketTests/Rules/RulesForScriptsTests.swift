import FoundationEssentials
import TestSupport
import Testing

final class RulesForScriptsTests: ToolTests {
  private struct Count: Decodable {
    let length: Int
    let rules: String
    let any: String
    let distinct: String
  }

  /// The lines that a command answers with; the last of the input has no newline.
  private func answers(to lines: [String], _ words: String) throws -> [String] {
    try machine.output("rules \(words)", input: lines.joined(separator: "\n"))
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  @Test(.enabled(if: SharedData.isAvailable, "the exact counts are not on this machine"))
  func countsEqualThoseOfAnotherCounter() throws {
    let rows: [Count] = try SharedData.lines(of: "counts.jsonl")
    for (length, rows) in Dictionary(grouping: rows, by: \.length) {
      let inputs = try rows.map {
        String(decoding: try JSONEncoder().encode($0.rules), as: UTF8.self)
      }
      let distinct = try answers(to: inputs, "count --length \(length)")
      #expect(distinct == rows.map(\.distinct))
      let any = try answers(to: inputs, "count --any --length \(length)")
      #expect(any == rows.map(\.any))
    }
  }

  @Test func linesMayBeLong() throws {
    let rules = String(repeating: "required: [a\\u0062]; ", count: 10_000)
    let spaces = String(repeating: " ", count: 1_000_000)
    let lines = try answers(to: ["\"\(rules)\"", "\"minlength:\(spaces)8\"", "\"\""], "canonical")
    #expect(lines.map(\.utf8.count) == [160_001, 15, 2])
    #expect(try answers(to: [], "canonical") == [])
  }
}
