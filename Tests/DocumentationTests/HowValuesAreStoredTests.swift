import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing
import ValueFormats

/// The statements of the article "How values are stored".
struct HowValuesAreStoredTests {
  private struct Window: Codable, Equatable {
    var width = 80
    var title: String?
  }

  private enum Shape: Codable, Equatable { case circle(radius: Int), none }
  private enum Size: String, Codable { case small }

  private let directory: TemporaryDirectory
  private var json: URL { directory.url.appending(path: "settings.json") }
  private var xml: URL { directory.url.appending(path: "settings.plist") }
  private var binary: URL { directory.url.appending(path: "binary.plist") }

  init() throws { directory = try TemporaryDirectory() }

  /// A row of the article's table, with the value as written to the file.
  private func row(_ label: String, _ value: some Codable & Equatable) throws -> String {
    let stores = [
      KeyValueStore(json: json), KeyValueStore(propertyList: xml),
      KeyValueStore(propertyList: binary, format: .binary),
    ]
    for store in stores {
      try store.set(value, for: "k")
      #expect(try store.value(of: "k") == value || value != value)
    }
    let cells = [
      try text(from: "{ \"k\": ", to: " }", in: json),
      try text(from: "<key>k</key> ", to: " </dict> </plist>", in: xml),
      Self.text(try BinaryPropertyListFormat(.plain).decode(objects(in: binary))),
    ]
    return "| `\(label)` | \(cells.map { "`\($0)`" }.joined(separator: " | ")) |"
  }

  private func objects(in file: URL) throws -> ArraySlice<UInt8> {
    let parsed = try BinaryPropertyListFormat().parse(Array(try Data(contentsOf: file)))
    return try #require(parsed.entries.first).value
  }

  /// The types and values of objects in a binary property list.
  private static func text(_ object: ValueTree) -> String {
    switch object {
    case .bool(let value): "\(value)"
    case .number(.integer(let value)): "integer \(value)"
    case .number(.real(let value)): "real \(value)"
    case .string(let value): "string \(value.debugDescription)"
    case .null: "string \"$null\""
    case .data(let value): "data \(Array(value))"
    case .date(let value): "date \(value.timeIntervalSinceReferenceDate)"
    case .array(let elements): "array (\(elements.map(text).joined(separator: ", ")))"
    case .dictionary(let members):
      "dictionary ("
        + members.sorted { $0.key < $1.key }.map { "\($0.string): \(text($1))" }
        .joined(separator: ", ") + ")"
    case .number, .duration, .layered: fatalError("A binary property list has no \(object).")
    }
  }

  /// The text between two others, on one line.
  private func text(from start: String, to end: String, in file: URL) throws -> String {
    let text = try String(contentsOf: file, encoding: .utf8)
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let range = try #require(text.firstRange(of: start))
    try #require(text.hasSuffix(end))
    return String(text[range.upperBound...].dropLast(end.count))
  }

  @Test func tableIsWhatIsWritten() throws {
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
      try row("\"text\"", "text"),
      try row("\"a\\0b\"", "a\0b"),
      try row("\"$null\"", "$null"),
      try row("Date", wholeSecond),
      try row("Date, half a second later", wholeSecond + 0.5),
      try row("Date.distantPast", Date.distantPast),
      try row("Duration.seconds(90)", Duration.seconds(90)),
      try row("Duration.milliseconds(250)", Duration.milliseconds(250)),
      try row("Duration, 1 s and 1 as", Duration(attoseconds: 1_000_000_000_000_000_001)),
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

  private func reading<Value: Decodable>(_ text: String, as type: Value.Type) throws -> Value? {
    try Data(#"{"k": \#(text), "other": 1}"#.utf8).write(to: json)
    let store = KeyValueStore(json: json)
    #expect(try store.value(of: "other") == 1)
    return try store.value(of: "k")
  }

  @Test func handWrittenSpellingsAreRead() throws {
    #expect(try reading("1.0", as: Int.self) == 1)
    #expect(try reading("1e3", as: Int.self) == 1000)
    #expect(try reading("1", as: Double.self) == 1)
    #expect(try reading("\"inf\"", as: Double.self) == .infinity)
    #expect(try reading("0", as: Date.self) == Date(timeIntervalSinceReferenceDate: 0))
    let date = Date(timeIntervalSince1970: 1_795_275_998.25)
    #expect(try reading("\"2026-11-21T16:46:38.25+01:00\"", as: Date.self) == date)
    #expect(try reading("\"AQL/\"", as: Data.self) == Data([1, 2, 255]))
    #expect(try reading("0.25", as: Duration.self) == .milliseconds(250))
    #expect(try reading("2.5e2", as: Duration.self) == .seconds(250))
    #expect(try reading("[4, 16213023705161793536]", as: Duration.self) == .seconds(90))
    #expect(try reading("null", as: Int?.self) == .some(nil))
    #expect(try reading(#"{"width": 1, "height": 2}"#, as: Window.self) == Window(width: 1))
  }

  @Test func valueOfAnotherTypeIsThatKeysErrorAlone() throws {
    func expectError<Value: Decodable>(_ text: String, as type: Value.Type) {
      #expect {
        try reading(text, as: type)
      } throws: { error in
        guard case KeyValueStoreError.undecodable(let value) = error else { return false }
        return value.key == "k"
      }
    }
    expectError("\"0.8\"", as: Double.self)
    expectError("true", as: Double.self)
    expectError("1", as: Bool.self)
    expectError("1.5", as: Int.self)
    expectError("300", as: UInt8.self)
    expectError("1e999", as: Double.self)
    expectError("1e21", as: Duration.self)
    expectError("\"90\"", as: Duration.self)
    expectError("\"2026-02-30T00:00:00Z\"", as: Date.self)
    expectError("null", as: Int.self)
    expectError("{}", as: Window.self)
    expectError("\"large\"", as: Size.self)
    expectError("\"\\ud800\"", as: String.self)
    expectError(#"{"a": 1, "a": 2}"#, as: [String: Int].self)
  }

  @Test(arguments: ["[1, 2,]", "1 // one", "'x'", "NaN", "1, \"k\": 2"])
  func textOfAnotherFormatIsAnErrorOfTheFile(_ text: String) throws {
    try Data(#"{"k": \#(text)}"#.utf8).write(to: json)
    #expect {
      try KeyValueStore(json: json).keys()
    } throws: { error in
      guard case KeyValueStoreError.unreadable(let file) = error else { return false }
      return file.line == 1 && file.column != nil
    }
  }
}
