import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Interoperation with Python's `json` and `plistlib`, in both directions.
@Suite(.enabled(if: Python.isAvailable, "python3 is not installed"))
struct FormatsInPythonTests {
  private let directory: TemporaryDirectory
  private var path: String { directory("file") }

  init() throws { directory = try TemporaryDirectory() }

  private func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: path)) }

  /// Returns the lines that Python prints: those of `line` for the keys of the file, if it reads.
  private func python(
    _ mode: String, _ format: KeyValueFormat, _ arguments: String...
  ) throws -> [String] {
    let program = try Fixture.text(format == .json ? "second-json.py" : "second-plist.py")
    let name = format == .xml ? "FMT_XML" : "FMT_BINARY"
    return try Python.run(program, [mode, path, name] + arguments)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  private func line(_ key: StoredKey, _ tree: ValueTree, _ format: KeyValueFormat) -> String {
    quoted(key.written(in: format).string) + " " + exact(tree.unescaped(in: format))
  }

  @Test(arguments: KeyValueFormat.allCases)
  func pythonReadsEachValue(_ format: KeyValueFormat) throws {
    var random = Campaign.generator()
    let trees = random.trees(Campaign.size(sample: 300, full: 100_000))
      .map { ($0.key, format == .json ? $0.tree : $0.tree.forPython) }
    try write(format.coding.join([try format.coding.entries(trees)[...]], FileSurroundings()))
    let lines = try python("read", format)
    try #require(lines.count == trees.count)
    for ((key, tree), other) in zip(trees, lines) { try #require(line(key, tree, format) == other) }
  }

  @Test(arguments: KeyValueFormat.allCases)
  func filesOfPythonAreRead(_ format: KeyValueFormat) throws {
    let count = Campaign.size(sample: 300, full: 50_000)
    let lines = try python("write", format, "\(count)", "\(Campaign.seed)")
    let parsed = try format.coding.parse(content(of: path))
    #expect(lines.count == count && parsed.entries.count == count)
    for (entry, other) in zip(parsed.entries, lines) {
      try #require(line(entry.key, try format.coding.decode(entry.value), format) == other)
    }
    try format.coding.requireSameAfterJoining(parsed)
    // Python reads the same from the rejoined fragments.
    try write(format.coding.join([parsed.entries[...]], parsed.surroundings))
    try #require(try python("read", format) == lines)
  }

  /// Returns whether another reader of XML finds the same characters as Foundation.
  private func isXML(_ file: [UInt8]) -> Bool {
    let text = String(decoding: file, as: UTF8.self)
    return MarkupText.allows(text) && !file.contains(UInt8(ascii: "\r"))
      && !text.replacing("&#13;", with: "").contains("&#")
  }

  /// Another XML reader also accepts the accepted files, and finds the same keys.
  @Test func acceptedDamageIsAcceptedByPython() throws {
    let format = XMLPropertyListFormat()
    var random = Campaign.generator()
    var damage = Damage(seed: Campaign.seed)
    var list: [ValueTree] = []
    var expectations: [String] = []
    for _ in 0..<Campaign.size(sample: 8, full: 1_000) {
      let trees = random.trees(2).map { ($0.key, $0.tree.forPython) }
      let file = format.join([try format.entries(trees)[...]], FileSurroundings())
      for _ in 0..<100 {
        let damaged = damage.damaged(file)
        guard isXML(damaged), case .success(let parsed) = format.parsed(damaged),
          parsed.entries.allSatisfy({ (try? format.decode($0.value)) != nil })
        else { continue }
        list.append(.data(Data(damaged)))
        let keys = parsed.entries.map { $0.key.written(in: .xml).string }
        expectations.append(keys.map { hexadecimal($0.utf8) }.sorted().joined(separator: ","))
      }
    }
    try write(BinaryPropertyListFormat().encode(.array(list)))
    let lines = try python("check", .xml)
    try #require(lines.count == expectations.count && !expectations.isEmpty)
    for (line, keys) in zip(lines, expectations) where line != "another date" {
      #expect(line == keys)
    }
  }
}

extension ValueTree {
  /// The tree with Python's dates: microseconds, and the years from 1 to 9999.
  fileprivate var forPython: ValueTree {
    switch self {
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      // Python's dates do not distinguish the two zeros.
      let rounded = seconds.isNaN ? 0 : (seconds * 64).rounded() / 64 + 0
      return .date(
        Date(
          timeIntervalSinceReferenceDate: min(max(rounded, -63_113_904_000), 252_423_993_599)))
    case .array(let elements): return .array(elements.map(\.forPython))
    case .dictionary(let elements): return .dictionary(elements.mapValues(\.forPython))
    default: return self
    }
  }
}
