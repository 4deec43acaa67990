import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

/// The statements of the article "How values are stored".
final class HowValuesAreStoredTests: DirectoryTests {
  private struct Window: Codable, Equatable {
    var width = 80
    var title: String?
  }

  private enum Shape: Codable, Equatable {
    case circle(radius: Int)
    case none
  }
  private enum Size: String, Codable { case small }

  private var json: URL { directory.url.appending(path: "settings.json") }
  private var xml: URL { directory.url.appending(path: "settings.plist") }
  private var binary: URL { directory.url.appending(path: "binary.plist") }

  private static let page = MarkdownPage(
    path: "Sources/KeyValueStorage/KeyValueStorage.docc/HowValuesAreStored.md")

  /// A row of the article's table: a value, and what else is read as this value.
  private struct Row {
    let label: String
    let value: any Codable & Equatable
    let spellings: [String]

    init(_ label: String, _ value: any Codable & Equatable, _ spellings: String...) {
      (self.label, self.value, self.spellings) = (label, value, spellings)
    }
  }

  private static func rows() throws -> [Row] {
    let wholeSecond = Date(timeIntervalSince1970: 1_795_275_998)
    let address = try #require(URL(string: "https://example.com/a?b=c"))
    let decimal = try #require(Decimal(string: "129.90"))
    let identifier = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    return [
      Row("true", true), Row("42", 42, "42.0", "4.2e1", "<integer>0x2A</integer>"),
      Row("UInt128.max", UInt128.max, "\(UInt128.max)"),
      Row("0.8", 0.8, "8e-1", "0.80000000000000000001"),
      Row("1.0", 1.0, "1"), Row("1e20", 1e20, "100000000000000000000"),
      Row("Double.nan", Double.nan, "\"nan\""),
      Row("-Double.infinity", -Double.infinity, "\"-inf\"", "\"-INF\""),
      Row("Decimal, 129.90", decimal, "129.90", "\"129.90\""), Row("\"text\"", "text"),
      Row("\"a\\0b\"", "a\0b"), Row("\"$null\"", "$null"),
      Row("Date", wholeSecond, "\"2026-11-21T16:46:38+01:00\"", "816968798"),
      Row(
        "Date, half a second later", wholeSecond + 0.5, "\"2026-11-21T15:46:38.500Z\"",
        "816968798.5"),
      Row("Duration.seconds(90)", Duration.seconds(90), "\"90s\"", "\"1m30s\""),
      Row(
        "Duration.milliseconds(1500)", Duration.milliseconds(1500), "\"1.5s\"", "\"1500ms\""),
      Row(
        "Data([1, 2, 255])", Data([1, 2, 255]), "<data> AQL/ </data>", "<string>AQL/</string>"),
      Row("URL", address),
      Row("UUID", identifier, "\"e621e1f8-c36c-495a-93fc-0c247a3e6e5f\""),
      Row(
        "[1, nil] as [Int?]", [1, nil] as [Int?],
        "<array> <integer>1</integer> <string>$null</string> </array>"),
      Row("[.some(nil)] as [Int??]", [Int??.some(nil)]),
      Row("[\"b\": 1, \"a\": 2]", ["b": 1, "a": 2], #"{ "b": 1, "a": 2 }"#),
      Row("[10: \"x\"]", [10: "x"]), Row("[0.5: \"x\"]", [0.5: "x"]),
      Row(
        "Window(width: 80, title: nil)", Window(),
        #"{ "title": null, "other": 1, "width": 80 }"#),
      Row("Shape.circle(radius: 1)", Shape.circle(radius: 1)), Row("Shape.none", Shape.none),
      Row("Size.small", Size.small),
    ]
  }

  /// The first three cells of a row, with the value as written to the files.
  private func cells(_ label: String, _ value: some Codable & Equatable) throws -> [String] {
    for store in [
      KeyValueStore(json: json), KeyValueStore(propertyList: xml),
      KeyValueStore(propertyList: binary, format: .binary),
    ] {
      try store.set(value, for: "k")
      #expect(try store.value(of: "k") == value || value != value)
    }
    return [
      "`\(label)`", "`\(try text(from: "{ \"k\": ", to: " }", in: json))`",
      "`\(try text(from: "<key>k</key> ", to: " </dict> </plist>", in: xml))`",
    ]
  }

  /// The text between two others, on one line.
  private func text(from start: String, to end: String, in file: URL) throws -> String {
    let text = try String(contentsOf: file, encoding: .utf8)
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let range = try #require(text.firstRange(of: start))
    try #require(text.hasSuffix(end))
    return String(text[range.upperBound...].dropLast(end.count))
  }

  /// The cells of the table's rows, without those of its head.
  private static func table() throws -> [[String]] {
    let lines = try page.lines.drop { $0 != "## Values" }.dropFirst().prefix { $0.hasPrefix("|") }
    return try lines.dropFirst(2).map { line in
      let parts = line.split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.split(separator: " ").joined(separator: " ") }
      // A row begins and ends with a separator.
      try #require(parts.count == 6 && parts[0].isEmpty && parts[5].isEmpty, "\(line)")
      return Array(parts[1...4])
    }
  }

  @Test func tableMatchesTheFiles() throws {
    let (table, rows) = (try Self.table(), try Self.rows())
    #expect(try table.map { $0.dropLast() } == rows.map { try cells($0.label, $0.value)[...] })
    // Each spelling of the last column is code, and one that another test reads.
    let spellings = table.map { row in
      row[3].split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }
    #expect(spellings == rows.map(\.spellings))
  }

  private func expectValue<Value: Codable & Equatable>(
    _ value: Value, from text: String
  ) throws {
    let isXML = text.hasPrefix("<")
    let file =
      isXML
      ? "<plist version=\"1.0\"><dict><key>k</key>\(text)</dict></plist>" : "{\"k\": \(text)}"
    try Data(file.utf8).write(to: isXML ? xml : json)
    let store = isXML ? KeyValueStore(propertyList: xml) : KeyValueStore(json: json)
    let read = try #require(try store.value(of: "k", as: Value.self), "\(text)")
    #expect(read == value || read != read && value != value, "\(text)")
  }

  @Test func otherSpellingsAreRead() throws {
    for row in try Self.rows() {
      for spelling in row.spellings { try expectValue(row.value, from: spelling) }
    }
    let values: KeyValuePairs<String, any Codable & Equatable> = [
      "\"2026-11-21T16:46:38.500+01:00\"": Date(timeIntervalSince1970: 1_795_275_998.5),
      "\"-1h0.5m\"": Duration.seconds(-3630), "\"AQL/\"": Data([1, 2, 255]),
      #"{"title": "x", "other": 1, "width": 7}"#: Window(width: 7, title: "x"),
      "<array> <string>$null</string> </array>": ["$null"] as [String?],
    ]
    for (text, value) in values { try expectValue(value, from: text) }
  }

  @Test func nullOfAnOptionalSettingIsNil() throws {
    try Data("{\"k\": null}".utf8).write(to: json)
    try Data(
      """
      <plist version="1.0"><dict><key>k</key><string><![CDATA[$null]]></string></dict></plist>
      """.utf8
    ).write(to: xml)
    for store in [KeyValueStore(json: json), KeyValueStore(propertyList: xml)] {
      for defaultValue in [1, nil] {
        let setting = StoredValue(wrappedValue: defaultValue, "k", in: store)
        #expect(try setting.load() == nil && setting.error == nil)
      }
    }
  }

  @Test func missingMemberIsThatOfTheDefaultValue() throws {
    struct Remote: Codable, Equatable, Sendable {
      var host = "localhost"
      var port = 8443
    }
    struct Sync: Codable, Equatable, Sendable { var remote = Remote() }
    try Data(#"{"sync": {"remote": {"host": "example.com"}}}"#.utf8).write(to: json)
    let store = KeyValueStore(json: json)
    let sync = StoredValue(wrappedValue: Sync(), "sync", in: store)
    #expect(try sync.load() == Sync(remote: Remote(host: "example.com", port: 8443)))
    #expect(throws: KeyValueStoreError.self) { try store.value(of: "sync", as: Sync.self) }
  }

  @Test func valueOfAnotherTypeIsThatKeysErrorAlone() throws {
    func expectError<Value: Decodable>(_ text: String, as type: Value.Type) throws {
      try Data(#"{"k": \#(text), "other": 1}"#.utf8).write(to: json)
      let store = KeyValueStore(json: json)
      #expect(try store.value(of: "other") == 1)
      #expect {
        try store.value(of: "k", as: type)
      } throws: { error in
        guard case KeyValueStoreError.undecodable(let value) = error else { return false }
        return value.key == "k"
      }
    }
    let values: KeyValuePairs<String, any Decodable.Type> = [
      "\"0.8\"": Double.self, "true": Double.self, "1": Bool.self, "1.5": Int.self,
      "300": UInt8.self, "1e999": Double.self, "null": Int.self, "{}": Window.self,
      "\"large\"": Size.self, "\"\\ud800\"": String.self,
      #"{"a": 1, "a": 2}"#: [String: Int].self,
    ]
    for (text, type) in values { try expectError(text, as: type) }
  }
}
