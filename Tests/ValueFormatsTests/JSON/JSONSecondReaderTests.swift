import FoundationEssentials
import TestSupport
import Testing

@testable import ValueFormats

/// A file with thousands of values, also read by Python.
@Suite(.enabled(if: Python.isAvailable, "python3 is not installed"))
struct JSONSecondReaderTests {
  private let format = JSONFormat()
  private let file: TestFile

  init() throws { file = try TestFile() }

  private func python(_ arguments: String...) throws -> [Substring] {
    try Python.run(Fixture.text("second-json.py"), arguments).split(separator: "\n")
  }

  private func expectInPython(_ lines: [String]) throws {
    let others = try python("read", file.path)
    #expect(lines.count == others.count)
    for (line, other) in zip(lines, others) { try #require(line == other) }
  }

  @Test func pythonReadsWhatIsWritten() throws {
    var random = Campaign.generator()
    let trees = random.trees(Campaign.size(sample: 500, full: 100_000))
    try file.write(format.join(try format.entries(trees), FileSurroundings()))
    try expectInPython(trees.map(JSONLines.line))
  }

  @Test func filesOfPythonAreRead() throws {
    let count = Campaign.size(sample: 500, full: 100_000)
    _ = try python("write", file.path, "\(count)", "\(Campaign.seed)")
    let parsed = try format.parse(try file.bytes)
    let lines = try parsed.entries.map { JSONLines.line($0.key, try format.decode($0.value)) }
    #expect(lines.count == count)
    try expectInPython(lines)

    // Python reads the same from the rejoined fragments.
    try file.write(format.join(parsed.entries, parsed.surroundings))
    try expectInPython(lines)
  }
}
