import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Operations on files of many parts: on the first ones of each list, and on all in a campaign.
struct LinearWorkTests {
  /// Returns a file with as many parts.
  private typealias Input = @Sendable (Int) -> [UInt8]

  /// Returns a text with a part for each index, between `start` and `end`.
  private static func text(
    _ start: String, _ end: String = "", _ part: @escaping @Sendable (Int) -> String
  ) -> Input {
    { count in Array((start + (0..<count).map(part).joined() + end).utf8) }
  }

  private static func text(
    _ start: String, _ part: String, _ end: String = ""
  ) -> Input {
    text(start, end) { _ in part }
  }

  private static let json: KeyValuePairs<String, Input> = [
    "keys": text("{", "\"\": 0}") { "\"k\($0)\": \($0), " },
    "nested": text("{\"a\": ", "["), "escapes": text("{\"a\": \"", "\\u0041", "\"}"),
    "equal keys": text("{\"a\": {", "\"a\": 1, ", "\"b\": 2}}"),
    "equal keys at the top": text("{", "\"a\": 1, ", "\"b\": 2}"),
    "accents": text("{\"e", "\u{301}", "\": 0}"),
    "keys with accents": text("{", "\"\": 0}") { "\"e\u{301}\($0)\": 0, " },
    "arrays": text("{\"a\": [", "[], ", "0]}"),
    "nested dictionaries": text("{\"a\": ", "{\"a\": "),
    "digits": text("{\"a\": 1", "1", "}"), "fraction": text("{\"a\": 0.", "1", "}"),
    "exponent": text("{\"a\": 1e", "1", "}"), "zeros": text("{\"a\": 1e", "0", "1}"),
    "halves": text("{\"a\": \"", "\\ud83d"),
    "backslashes": text("{\"a\": \"", "\\\\"), "lines": text("{", "\n", "x"),
    "base64": text("{\"a\": \"$base64:", "AAAA", "\"}"), "space": text("{\"a\"", " "),
  ]

  private static let xml: KeyValuePairs<String, Input> = [
    "keys": text("<plist><dict>", "</dict></plist>") { "<key>k\($0)</key><true/>" },
    "open comments": text("<plist><dict>", "<!-- "),
    "nested": text("<plist><dict><key>a</key>", "<array>"),
    "references": text("<plist><dict><key>a</key><string>", "&amp;", "</string></dict></plist>"),
    "equal keys": text(
      "<plist><dict><key>a</key><dict>", "<key>a</key><true/>", "</dict></dict></plist>"),
    "comments": text("<plist><dict>", "<!-- -->", "</dict></plist>"),
    "open data": text("<plist><dict>", "<![CDATA["),
    "comments before": text("", "<!-- -->", "<plist><dict></dict></plist>"),
    "instructions": text("", "<?a ?>"), "open instructions": text("<?xml ", "<?a "),
    "arrays": text("<plist><dict><key>a</key><array>", "<array/>", "</array></dict></plist>"),
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
  ) -> Input {
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

  private static let binary: KeyValuePairs<String, Input> = [
    "objects in one another": list { count in
      // Each has all the following ones as its content.
      (0..<count).map { number in [0x4F, 0x12] + reference(6 * (count - number - 1)) }
    },
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
  ]

  private func expectLinear(
    _ format: some StoredFormat, _ files: KeyValuePairs<String, Input>
  ) {
    for (_, file) in files.prefix(Campaign.size(sample: 3, full: files.count)) {
      TestSupport.expectLinear(file) { file in
        switch format.parsed(file) {
        case .success(let content):
          for entry in content.entries { _ = format.decoded(entry.value) }
          _ = format.join(content.entries, content.surroundings)
        case .failure(let error): _ = TextPosition(of: error.offset, in: file)
        }
      }
    }
  }

  @Test func workOnJSONIsLinear() { expectLinear(JSONFormat(), Self.json) }
  @Test func workOnXMLIsLinear() { expectLinear(XMLPropertyListFormat(), Self.xml) }
  @Test func workOnBinaryListsIsLinear() { expectLinear(BinaryPropertyListFormat(), Self.binary) }
}
