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

  private func expectInPython(_ lines: [String], seed: UInt64) throws {
    let others = try PythonJSON.lines(of: file.path)
    #expect(lines.count == others.count, "seed \(seed)")
    for (line, other) in zip(lines, others) { try #require(line == other, "seed \(seed)") }
  }

  @Test func pythonReadsWhatIsWritten() throws {
    var random = SplitMix64()
    let trees = random.trees(Campaign.size(sample: 1_000, full: 100_000))
    try file.write(format.join(try format.entries(trees), EnclosingText()))
    try expectInPython(trees.map(JSONLines.line), seed: random.seed)
  }

  @Test func whatPythonWritesIsRead() throws {
    let seed = UInt64.random(in: 0 ... .max)
    let count = Campaign.size(sample: 1_000, full: 100_000)
    try PythonJSON.write(count, seed: seed, to: file.path)
    let parsed = try format.parse(try file.bytes)
    let lines = try parsed.entries.map { JSONLines.line($0.key, try format.decode($0.value)) }
    #expect(lines.count == count)
    try expectInPython(lines, seed: seed)

    // Python reads the same from the rejoined fragments.
    try file.write(format.join(parsed.entries, parsed.enclosingText))
    try expectInPython(lines, seed: seed)
  }
}
