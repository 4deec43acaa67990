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

  /// A row of the article's table, with the value as written to the file.
  private func row(_ label: String, _ value: some Codable & Equatable) throws -> String {
    for store in [
      KeyValueStore(json: json), KeyValueStore(propertyList: xml),
      KeyValueStore(propertyList: binary, format: .binary),
    ] {
      try store.set(value, for: "k")
      #expect(try store.value(of: "k") == value || value != value)
    }
    let cells = [
      try text(from: "{ \"k\": ", to: " }", in: json),
      try text(from: "<key>k</key> ", to: " </dict> </plist>", in: xml),
    ]
    return "| `\(label)` | \(cells.map { "`\($0)`" }.joined(separator: " | ")) |"
  }

  /// The text between two others, on one line.
  private func text(from start: String, to end: String, in file: URL) throws -> String {
    let text = try String(contentsOf: file, encoding: .utf8)
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let range = try #require(text.firstRange(of: start))
    try #require(text.hasSuffix(end))
    return String(text[range.upperBound...].dropLast(end.count))
  }

  @Test func tableMatchesTheFiles() throws {
    let wholeSecond = Date(timeIntervalSince1970: 1_795_275_998)
    let address = try #require(URL(string: "https://example.com/a?b=c"))
    let decimal = try #require(Decimal(string: "129.90"))
    let identifier = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    let values: KeyValuePairs<String, any Codable & Equatable> = [
      "true": true, "42": 42, "UInt128.max": UInt128.max, "0.8": 0.8, "1.0": 1.0, "1e20": 1e20,
      "Double.nan": Double.nan, "-Double.infinity": -Double.infinity,
      "Decimal, 129.90": decimal, "\"text\"": "text", "\"a\\0b\"": "a\0b",
      "\"$null\"": "$null", "Date": wholeSecond, "Date, half a second later": wholeSecond + 0.5,
      "Duration.seconds(90)": Duration.seconds(90),
      "Duration.milliseconds(1500)": Duration.milliseconds(1500),
      "Data([1, 2, 255])": Data([1, 2, 255]), "URL": address, "UUID": identifier,
      "[1, nil] as [Int?]": [1, nil] as [Int?],
      "[.some(nil)] as [Int??]": [Int??.some(nil)], "[\"b\": 1, \"a\": 2]": ["b": 1, "a": 2],
      "[10: \"x\"]": [10: "x"], "[0.5: \"x\"]": [0.5: "x"],
      "Window(width: 80, title: nil)": Window(), "Shape.circle(radius: 1)": Shape.circle(radius: 1),
      "Shape.none": Shape.none, "Size.small": Size.small,
    ]
    let rows = try values.map { label, value in try row(label, value) }
    let path = "Sources/KeyValueStorage/KeyValueStorage.docc/HowValuesAreStored.md"
    let lines = try MarkdownPage(path: path).lines
    #expect(rows.filter { row in !lines.contains { $0.hasPrefix(row) } } == [])
  }

  @Test func otherSpellingsAreRead() throws {
    func expectValue<Value: Codable & Equatable>(_ value: Value, from text: String) throws {
      try Data("{\"k\": \(text)}".utf8).write(to: json)
      #expect(try KeyValueStore(json: json).value(of: "k") == value, "\(text)")
    }
    let date = Date(timeIntervalSince1970: 1_795_275_998)
    let identifier = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    let values: KeyValuePairs<String, any Codable & Equatable> = [
      "42.0": 42, "4.2e1": 42, "\(UInt128.max)": UInt128.max, "8e-1": 0.8, "1": 1.0,
      "\"-inf\"": -Double.infinity, "129.90": Decimal(string: "129.9"),
      "\"129.90\"": Decimal(string: "129.9"), "\"2026-11-21T16:46:38+01:00\"": date,
      "\"2026-11-21T15:46:38.500Z\"": date + 0.5, "816968798": date,
      "\"90s\"": Duration.seconds(90), "\"1m30s\"": Duration.seconds(90),
      "\"1.5s\"": Duration.milliseconds(1500), "\"1500ms\"": Duration.milliseconds(1500),
      "\"-1h0.5m\"": Duration.seconds(-3630), "\"AQL/\"": Data([1, 2, 255]),
      "\"e621e1f8-c36c-495a-93fc-0c247a3e6e5f\"": identifier,
      #"{"title": "x", "other": 1, "width": 7}"#: Window(width: 7, title: "x"),
    ]
    for (text, value) in values { try expectValue(value, from: text) }
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
