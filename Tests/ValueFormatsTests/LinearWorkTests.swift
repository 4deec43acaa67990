import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// The time of all operations on files of increasing size.
struct LinearWorkTests {
  /// Returns a text with a part for each index, between `start` and `end`.
  private static func text(
    _ start: String, _ end: String = "", _ part: @escaping @Sendable (Int) -> String
  ) -> @Sendable (Int) -> [UInt8] {
    { count in Array((start + (0..<count).map(part).joined() + end).utf8) }
  }

  private static func text(
    _ start: String, _ part: String, _ end: String = ""
  ) -> @Sendable (Int) -> [UInt8] {
    text(start, end) { _ in part }
  }

  private static let json: [String: @Sendable (Int) -> [UInt8]] = [
    "keys": text("{", "\"\": 0}") { "\"k\($0)\": \($0), " },
    "equal keys": text("{\"a\": {", "\"a\": 1, ", "\"b\": 2}}"),
    "equal keys at the top": text("{", "\"a\": 1, ", "\"b\": 2}"),
    "accents": text("{\"e", "\u{301}", "\": 0}"),
    "keys with accents": text("{", "\"\": 0}") { "\"e\u{301}\($0)\": 0, " },
    "arrays": text("{\"a\": [", "[], ", "0]}"),
    "nested": text("{\"a\": ", "["), "nested dictionaries": text("{\"a\": ", "{\"a\": "),
    "digits": text("{\"a\": 1", "1", "}"), "fraction": text("{\"a\": 0.", "1", "}"),
    "exponent": text("{\"a\": 1e", "1", "}"), "zeros": text("{\"a\": 1e", "0", "1}"),
    "escapes": text("{\"a\": \"", "\\u0041", "\"}"), "halves": text("{\"a\": \"", "\\ud83d"),
    "backslashes": text("{\"a\": \"", "\\\\"), "lines": text("{", "\n", "x"),
    "base64": text("{\"a\": \"$base64:", "AAAA", "\"}"), "space": text("{\"a\"", " "),
  ]

  private static let xml: [String: @Sendable (Int) -> [UInt8]] = [
    "keys": text("<plist><dict>", "</dict></plist>") { "<key>k\($0)</key><true/>" },
    "equal keys": text(
      "<plist><dict><key>a</key><dict>", "<key>a</key><true/>", "</dict></dict></plist>"),
    "comments": text("<plist><dict>", "<!-- -->", "</dict></plist>"),
    "open comments": text("<plist><dict>", "<!-- "),
    "open data": text("<plist><dict>", "<![CDATA["),
    "comments before": text("", "<!-- -->", "<plist><dict></dict></plist>"),
    "instructions": text("", "<?a ?>"), "open instructions": text("<?xml ", "<?a "),
    "nested": text("<plist><dict><key>a</key>", "<array>"),
    "arrays": text("<plist><dict><key>a</key><array>", "<array/>", "</array></dict></plist>"),
    "references": text("<plist><dict><key>a</key><string>", "&amp;", "</string></dict></plist>"),
    "open references": text("<plist><dict><key>a</key><string>", "&"),
    "sections": text(
      "<plist><dict><key>a</key><string>", "<![CDATA[a]]>", "</string></dict></plist>"),
    "data": text("<plist><dict><key>a</key><data>", "AA\n AA", "</data></dict></plist>"),
    "digits": text("<plist><dict><key>a</key><integer>", "1", "</integer></dict></plist>"),
    "real": text("<plist><dict><key>a</key><real>0.", "1", "</real></dict></plist>"),
    "year": text("<plist><dict><key>a</key><date>1", "1", "-01-01T00:00:00Z</date></dict></plist>"),
    "space in a tag": text("<plist><dict><key>a</key><string", " ", ">"),
    "attributes": text("<plist ", "a='b' ", "><dict></dict></plist>"),
    "document type": text("<!DOCTYPE plist [", "<!ENTITY a 'b'>", "]><plist/>"),
    "lines": text("<plist><dict>", "\r\n", "x"),
  ]

  /// Returns the objects of a file whose only key has the first object as its value.
  private static func list(
    _ objects: @escaping @Sendable (Int) -> [[UInt8]]
  ) -> @Sendable (Int) -> [UInt8] {
    { count in
      let top = [0xD1] + reference(1) + reference(2)
      return BinaryPropertyListFile(
        objects: [top, [0x51, 0x61]] + objects(count), offsetSize: 4, referenceSize: 4
      ).bytes
    }
  }

  private static func reference(_ object: Int) -> [UInt8] {
    BinaryPropertyListFile.number(UInt64(object), size: 4)
  }

  private static func container(_ marker: UInt8, _ count: Int, of object: Int) -> [UInt8] {
    [marker | 0x0F, 0x12] + reference(count)
      + (0..<(marker == 0xD0 ? 2 : 1) * count).flatMap { _ in reference(object) }
  }

  private static let binary: [String: @Sendable (Int) -> [UInt8]] = [
    "shared": list { [container(0xA0, $0, of: 3), [0x09]] },
    "equal keys": list { [container(0xD0, $0, of: 3), [0x51, 0x61]] },
    "nested": list { count in (0..<count).map { [0xA1] + reference($0 + 3) } + [[0x09]] },
    "cycle": list { count in (0..<count).map { [0xA1] + reference($0 == count - 1 ? 2 : $0 + 3) } },
    "twice the next": list { count in
      (0..<count).map { [0xA2] + reference($0 + 3) + reference($0 + 3) } + [[0x09]]
    },
    "arrays of one array": list { count in
      [container(0xA0, count, of: 3), container(0xA0, count, of: 4), [0x09]]
    },
    "objects that are missed": list { count in (0..<count).map { _ in [0x09] } },
    "text": list { [[0x5F, 0x12] + reference($0) + [UInt8](repeating: 0x61, count: $0)] },
    "wide text": list {
      [[0x6F, 0x12] + reference($0) + [UInt8](repeating: 0x21, count: 2 * $0)]
    },
    "objects in one another": list { count in
      // Each has all the following ones as its content.
      (0..<count).map { number in [0x4F, 0x12] + reference(6 * (count - number - 1)) }
    },
  ]

  private func expectLinear(
    _ format: some StoredFormat, _ files: [String: @Sendable (Int) -> [UInt8]]
  ) {
    for (name, file) in files.sorted(by: { $0.key < $1.key }) {
      TestSupport.expectLinear(name, from: 1000, file) { file in
        switch format.parsed(file) {
        case .success(let content):
          for entry in content.entries { _ = format.decoded(entry.value) }
          _ = format.join(content.entries, content.enclosingText)
        case .failure(let error): _ = TextPosition(of: error.offset, in: file)
        }
      }
    }
  }

  @Test func ofJSON() { expectLinear(JSONFormat(), Self.json) }
  @Test func ofXMLPropertyLists() { expectLinear(XMLPropertyListFormat(), Self.xml) }
  @Test func ofBinaryPropertyLists() { expectLinear(BinaryPropertyListFormat(), Self.binary) }

  @Test func ofDatesAndDurations() throws {
    func digits(_ count: Int) -> String { String(repeating: "9", count: count) }
    try TestSupport.expectLinear("date", from: 10_000, { "2000-12-31T23:59:58.\(digits($0))Z" }) {
      _ = try TreeDecoder().decode(Date.self, from: .string($0))
    }
    try TestSupport.expectLinear("duration", from: 10_000, { "0.\(digits($0))e-1" }) {
      _ = try TreeDecoder().decode(Duration.self, from: .number(.text($0)))
    }
  }

  /// The number of missing members, and of attempts, is limited by the default value.
  @Test func ofPartialStructures() throws {
    struct Table: Codable {
      var rows: [String: [Int]] = [:]
      var name = "a", title = "b"
    }
    func tree(_ count: Int) -> ValueTree {
      let rows = (0..<count).map { (StoredKey("k\($0)"), ValueTree.array([.number(.integer(1))])) }
      return .dictionary(["rows": .dictionary(Dictionary(uniqueKeysWithValues: rows))])
    }
    try TestSupport.expectLinear("structure", from: 1000, tree) { tree in
      let table = try tree.decoded(as: Table.self, recording: nil) {
        () throws(ValueCodingError) in try TreeEncoder().encode(Table())
      }
      #expect(table.title == "b")
    }
  }
}
