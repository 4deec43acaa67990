import TestSupport
import Testing

final class ExplainRulesTests: ToolTests {
  @Test(arguments: [0, 30, 200]) func longDescriptorIsShortened(place: Int) throws {
    let before = String(repeating: "供", count: place)
    let descriptor = "allowed: [a\(before)]; minlength: 0; allowed: [\(before)]; maxlength: 5"
    let lines = try machine.output("rules explain", descriptor).split(separator: "\n")
    let index = try #require(lines.firstIndex { $0.contains("A limit of 0") })
    #expect(lines[index + 1].unicodeScalars.reduce(0) { $0 + ($1 == "供" ? 2 : 1) } <= 78)
    // The caret is below the zero.
    let zero = try #require(lines[index + 1].firstRange(of: "0"))
    let column = lines[index + 1][..<zero.lowerBound].unicodeScalars.reduce(0) {
      $0 + ($1 == "供" ? 2 : 1)
    }
    #expect(lines[index + 2] == String(repeating: " ", count: column) + "^")
  }
}
