import FoundationEssentials
import TestSupport
import Testing

@testable import ValueFormats

/// Interoperation with Python's `plistlib`, in both directions.
@Suite(.enabled(if: Python.isAvailable, "python3 is not installed"))
struct PropertyListInPythonTests {
  private static let formats: [(any StoredFormat, String)] = [
    (XMLPropertyListFormat(), "FMT_XML"), (BinaryPropertyListFormat(), "FMT_BINARY"),
  ]

  private func python(_ arguments: String...) throws -> ArraySlice<Substring> {
    try Python.run(Fixture.text("second-plist.py"), arguments)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
  }

  private func written(key: String, _ isXML: Bool) -> String {
    let isBase64 = EscapedString.unescape(key) != key
    let isEscaped = isXML && (isBase64 || !MarkupText.allows(key))
    return hexadecimal((isEscaped ? EscapedString.escape(key, needsEscape: true) : key).utf8)
  }

  /// Returns the output that Python should print for a value.
  private func expected(_ tree: ValueTree, _ isXML: Bool) throws -> String {
    func text(_ string: String) -> String {
      let written = EscapedString.inPropertyList(
        string, isWritable: !isXML || MarkupText.allows(string))
      return hexadecimal(written.utf8)
    }
    func real(_ value: Double) -> String {
      value.isNaN ? "nan" : "r\(String(value.bitPattern, radix: 16))"
    }
    switch tree {
    case .null(let depth): return "s" + hexadecimal((depth == 0 ? "$null" : "$null:\(depth)").utf8)
    case .bool(let value): return value ? "true" : "false"
    case .number(.integer(let value)): return "i\(value)"
    case .number(.real(let value)): return real(value)
    case .number(.float(let value)):
      // XML has the Float's own digits, which may denote another Double.
      return real(isXML && value.isFinite ? try #require(Double(value.description)) : Double(value))
    case .number(.text(let spelling)):
      return PropertyListNumber.isInteger(spelling[...])
        ? "i\(spelling)" : real(try #require(Double(spelling)))
    case .string(let string): return "s" + text(string)
    case .data(let data): return "x" + hexadecimal(data)
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      let isDate = !isXML || seconds == seconds.rounded()
      if !isDate { return real(seconds) }
      // A single product would have more digits than a Double holds.
      let whole = seconds.rounded(.down)
      return "d\(Int(whole) * 1_000_000 + Int((seconds - whole) * 1_000_000))"
    case .array(let elements):
      return try "[" + elements.map { try expected($0, isXML) }.joined(separator: ",") + "]"
    case .dictionary(let elements):
      let entries = try elements.map {
        try written(key: $0.string, isXML) + ":" + expected($1, isXML)
      }
      return "{" + entries.sorted().joined(separator: ",") + "}"
    }
  }

  @Test(arguments: 0..<2)
  func pythonReadsEachValue(_ number: Int) throws {
    let (format, name) = Self.formats[number]
    var random = Campaign.generator()
    let count = Campaign.size(sample: 200, full: 100_000)
    let trees = random.trees(count).map { ($0.key, $0.tree.forPython) }
    let file = try TestFile()
    try file.write(format.join(try format.entries(trees), FileSurroundings()))
    let lines = try python("read", file.path, name)
    try #require(lines.count == count)
    for ((key, tree), line) in zip(trees, lines) {
      let key = written(key: key.string, number == 0)
      let value = try expected(tree, number == 0)
      try #require(line == "s\(key) \(value)")
    }
  }

  @Test(arguments: 0..<2)
  func filesOfPythonAreRead(_ number: Int) throws {
    let (format, name) = Self.formats[number]
    let file = try TestFile()
    let count = Campaign.size(sample: 150, full: 30_000)
    let lines = try python("write", file.path, name, "\(count)", "\(Campaign.seed)")
    let bytes = try file.bytes
    let parsed = try format.parse(bytes)
    try #require(lines.count == parsed.entries.count)
    for (entry, line) in zip(parsed.entries, lines) {
      let dump = try expected(try format.decode(entry.value), number == 0)
      // Prefixed texts are tested elsewhere; here they are rare and unchanged.
      try #require("s\(hexadecimal(entry.key.string.utf8)) \(dump)" == line)
    }
    let joined = format.join(parsed.entries, parsed.surroundings)
    if number == 0 { #expect(joined.count { $0 != 0x0A } == bytes.count { $0 != 0x0A }) }
    #expect(try format.parse(joined).entries.map(\.text) == parsed.entries.map(\.text))
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
      let file = format.join(try format.entries(trees), FileSurroundings())
      for _ in 0..<100 {
        let damaged = damage.damaged(file)
        guard case .success(let parsed) = format.parsed(damaged) else { continue }
        list.append(.data(Data(damaged)))
        expectations.append(
          parsed.entries.map { hexadecimal($0.key.string.utf8) }.sorted().joined(separator: ","))
      }
    }
    let files = try TestFile()
    try files.write(BinaryPropertyListFormat().encode(.array(list)))
    let lines = try python("check", files.path)
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
      let rounded = seconds.isNaN ? 0 : (seconds * 64).rounded() / 64
      return .date(
        Date(
          timeIntervalSinceReferenceDate: min(max(rounded, -63_113_904_000), 252_423_993_599)))
    case .array(let elements): return .array(elements.map(\.forPython))
    case .dictionary(let elements): return .dictionary(elements.mapValues(\.forPython))
    default: return self
    }
  }
}
