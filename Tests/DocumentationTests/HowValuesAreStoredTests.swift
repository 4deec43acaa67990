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
    let rows = [
      try row("true", true),
      try row("42", 42),
      try row("UInt128.max", UInt128.max),
      try row("0.8", 0.8),
      try row("1.0", 1.0),
      try row("1e20", 1e20),
      try row("Double.nan", Double.nan),
      try row("-Double.infinity", -Double.infinity),
      try row("Decimal, 129.90", #require(Decimal(string: "129.90"))),
      try row("\"text\"", "text"),
      try row("\"a\\0b\"", "a\0b"),
      try row("\"$null\"", "$null"),
      try row("Date", wholeSecond),
      try row("Date, half a second later", wholeSecond + 0.5),
      try row("Data([1, 2, 255])", Data([1, 2, 255])),
      try row("URL", address),
      try row("[1, nil] as [Int?]", [1, nil]),
      try row("[.some(nil)] as [Int??]", [Int??.some(nil)]),
      try row("[\"b\": 1, \"a\": 2]", ["b": 1, "a": 2]),
      try row("[10: \"x\"]", [10: "x"]),
      try row("[0.5: \"x\"]", [0.5: "x"]),
      try row("Window(width: 80, title: nil)", Window()),
      try row("Shape.circle(radius: 1)", Shape.circle(radius: 1)),
      try row("Shape.none", Shape.none),
      try row("Size.small", Size.small),
    ]
    let path = "Sources/KeyValueStorage/KeyValueStorage.docc/HowValuesAreStored.md"
    let lines = try MarkdownPage(path: path).text.split(separator: "\n")
    let missing = rows.filter { !lines.contains(Substring($0)) }
    #expect(missing == [])
  }

  @Test func valueOfAnotherTypeIsThatKeysErrorAlone() throws {
    func expectError<Value: Decodable>(_ text: String, as type: Value.Type) throws {
      try Data(#"{"k": \#(text), "other": 1}"#.utf8).write(to: json)
      let store = KeyValueStore(json: json)
      #expect(try store.value(of: "other") == 1)
      #expect {
        try store.value(of: "k", as: type)
      } throws: { error in
        if case KeyValueStoreError.undecodable("k", _, _) = error { true } else { false }
      }
    }
    try expectError("\"0.8\"", as: Double.self)
    try expectError("true", as: Double.self)
    try expectError("1", as: Bool.self)
    try expectError("1.5", as: Int.self)
    try expectError("300", as: UInt8.self)
    try expectError("1e999", as: Double.self)
    try expectError("null", as: Int.self)
    try expectError("{}", as: Window.self)
    try expectError("\"large\"", as: Size.self)
    try expectError("\"\\ud800\"", as: String.self)
    try expectError(#"{"a": 1, "a": 2}"#, as: [String: Int].self)
  }
}
