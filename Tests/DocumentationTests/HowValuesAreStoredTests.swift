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
    let values: KeyValuePairs<String, any Codable & Equatable> = [
      "true": true, "42": 42, "UInt128.max": UInt128.max, "0.8": 0.8, "1.0": 1.0, "1e20": 1e20,
      "Double.nan": Double.nan, "-Double.infinity": -Double.infinity,
      "Decimal, 129.90": decimal, "\"text\"": "text", "\"a\\0b\"": "a\0b",
      "\"$null\"": "$null", "Date": wholeSecond, "Date, half a second later": wholeSecond + 0.5,
      "Data([1, 2, 255])": Data([1, 2, 255]), "URL": address,
      "[1, nil] as [Int?]": [1, nil] as [Int?],
      "[.some(nil)] as [Int??]": [Int??.some(nil)], "[\"b\": 1, \"a\": 2]": ["b": 1, "a": 2],
      "[10: \"x\"]": [10: "x"], "[0.5: \"x\"]": [0.5: "x"],
      "Window(width: 80, title: nil)": Window(), "Shape.circle(radius: 1)": Shape.circle(radius: 1),
      "Shape.none": Shape.none, "Size.small": Size.small,
    ]
    let rows = try values.map { label, value in try row(label, value) }
    let path = "Sources/KeyValueStorage/KeyValueStorage.docc/HowValuesAreStored.md"
    let lines = try MarkdownPage(path: path).lines
    #expect(rows.filter { !lines.contains(Substring($0)) } == [])
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
