import FoundationEssentials
import Testing

@testable import KeyValueStorage

/// One file with thousands of values, read by Python as well.
@Suite(.enabled(if: PythonJSON.isAvailable, "python3 is not installed"))
final class JSONSecondReaderTests: Sendable {
  private let directory = FileManager.default.temporaryDirectory.appending(path: "JSON-\(UUID())")

  init() throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: directory)
    } catch {
      Issue.record(error)
    }
  }

  private func content(of name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: directory.appending(path: name)))
  }

  private func expectEqual(_ lines: [String], seed: UInt64) throws {
    let others = String(decoding: try content(of: "lines"), as: UTF8.self)
      .split(separator: "\n").map { String($0) }
    #expect(lines.count == others.count, "seed \(seed)")
    for (line, other) in zip(lines, others) { try #require(line == other, "seed \(seed)") }
  }

  @Test func pythonReadsWhatIsWritten() throws {
    var random = JSONRandom()
    var trees: [StoredKey: ValueTree] = [:]
    for _ in 0..<Campaign.size(sample: 3_000, full: 100_000) {
      trees[StoredKey(random.text())] = random.tree()
    }
    let keys = trees.keys.sorted()
    let format = JSONFormat()
    let entries = try keys.map { format.entry($0, try format.encode(trees[$0]!)[...]) }
    try Data(format.join(entries, FileSurroundings()))
      .write(to: directory.appending(path: "file.json"))
    try PythonJSON.read(in: directory.path)
    let lines = keys.map { "\(JSONLines.hexadecimal($0.string)) \(JSONLines.line(trees[$0]!))" }
    try expectEqual(lines, seed: random.seed)
  }

  @Test func whatPythonWritesIsRead() throws {
    let seed = UInt64.random(in: 0 ... .max)
    let count = Campaign.size(sample: 3_000, full: 100_000)
    try PythonJSON.write(count, seed: seed, in: directory.path)
    let format = JSONFormat()
    let file = try format.parse(try content(of: "file.json"))
    let lines = try file.entries.map { entry in
      let tree = try format.decode(entry.value)
      return "\(JSONLines.hexadecimal(entry.key.string)) \(JSONLines.line(tree))"
    }
    #expect(lines.count == count)
    try expectEqual(lines, seed: seed)

    // What Python reads after the fragments were joined anew is the same.
    try Data(format.join(file.entries, file.surroundings))
      .write(to: directory.appending(path: "file.json"))
    try PythonJSON.read(in: directory.path)
    try expectEqual(lines, seed: seed)
  }
}
