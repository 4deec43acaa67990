import FoundationEssentials
import Testing
import ValueFormats

@testable import KeyValueStorage

/// Text of a command line or an environment, which the type of the property decodes.
struct TextValueTests {
  private enum Level: String, Codable, CaseIterable, Sendable { case info, debug }
  private enum Size: Int, Codable, CaseIterable, Sendable { case small = 1, large = 2 }

  /// The value of a key whose variable has a text, and whose option has it.
  private func values<Value: Codable & Sendable>(
    _ text: String, _ type: Value.Type = Value.self
  ) throws -> [Value?] {
    let layers: [KeyValueLayer] = [
      .environment(prefix: "NOTES_", ["NOTES_SOME_KEY": text]), .commandLine(["--someKey=\(text)"]),
    ]
    return try layers.map { try KeyValueStore(layers: [$0]).value(of: "someKey", as: Value.self) }
  }

  private func expect<Value: Codable & Equatable & Sendable>(
    _ text: String, is value: Value, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try values(text) == [value, value], sourceLocation: sourceLocation)
    // An optional, and an element of an array in an optional.
    #expect(
      try values(text, Value?.self) == [.some(.some(value)), .some(.some(value))],
      sourceLocation: sourceLocation)
  }

  private func expectError<Value: Codable & Sendable>(
    _ text: String, of type: Value.Type, _ reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let error = #expect(throws: KeyValueStoreError.self, sourceLocation: sourceLocation) {
      try values(text, type)
    }
    guard case .undecodable(let value)? = error else { return }
    #expect(
      value.description.hasPrefix("NOTES_SOME_KEY: someKey")
        && value.description.contains(reason), "\(value)", sourceLocation: sourceLocation)
  }

  private func expectInteger<Value: FixedWidthInteger & Codable & Sendable>(
    _ type: Value.Type
  ) throws {
    for value in [Value.min, 0, 1, Value.max] { try expect("\(value)", is: value) }
    try expect("+7", is: Value(7))
    try expect("1e1", is: Value(10))
    try expect("42.0", is: Value(42))
    for text in ["", " 7", "7 ", "0x1F", "seven", "true", "null", "7,5"] {
      try expectError(text, of: type, "expected a number")
    }
    try expectError("\(Value.max)0", of: type, "from \(Value.min) to \(Value.max)")
    try expectError("1.5", of: type, "out of range")
  }

  @Test func integersOfAllSizesAreRead() throws {
    try expectInteger(Int.self)
    try expectInteger(Int8.self)
    try expectInteger(Int16.self)
    try expectInteger(Int32.self)
    try expectInteger(Int64.self)
    try expectInteger(Int128.self)
    try expectInteger(UInt.self)
    try expectInteger(UInt8.self)
    try expectInteger(UInt16.self)
    try expectInteger(UInt32.self)
    try expectInteger(UInt64.self)
    try expectInteger(UInt128.self)
  }

  @Test func booleansAreRead() throws {
    for text in ["true", "TRUE", "yes", "on", "1"] { try expect(text, is: true) }
    for text in ["false", "False", "no", "off", "0"] { try expect(text, is: false) }
    for text in ["", "2", "enabled", " true"] {
      try expectError(text, of: Bool.self, "expected a Boolean")
    }
  }

  @Test func numbersAreRead() throws {
    try expect("0.1", is: 0.1)
    try expect("-1e-3", is: Float(-0.001))
    try expect("Infinity", is: Double.infinity)
    try expect("-inf", is: -Float.infinity)
    #expect(try values("nan", Double.self).allSatisfy { $0?.isNaN == true })
    try expect("129.90", is: try #require(Decimal(string: "129.9")))
    let long = "12345678901234567890123456789012345678901234567890"
    try expect(long, is: try #require(NumberLiteral(long)))
    try expectError("1,5", of: Double.self, "expected a number")
    try expectError("1e999", of: Double.self, "out of range")
    try expectError("x", of: Decimal.self, "expected a number")
    try expectError("x", of: NumberLiteral.self, "expected a number")
  }

  @Test func textIsReadAsItIs() throws {
    for text in ["", "text", " spaces ", "8080", "true", "null", "\"quoted\"", "{", "[1]", "é\n"] {
      try expect(text, is: text)
    }
    try expect("a=b", is: "a=b")
  }

  @Test func otherScalarsAreRead() throws {
    let date = Date(timeIntervalSinceReferenceDate: 816_968_798.5)
    try expect("2026-11-21T15:46:38.5Z", is: date)
    try expect("2026-11-21T16:46:38.5+01:00", is: date)
    try expect("816968798.5", is: date)
    try expect("2h30m", is: Duration.seconds(9000))
    try expect("1.5", is: Duration.milliseconds(1500))
    try expect("AQL/", is: Data([1, 2, 255]))
    try expect(
      "https://example.com/a?b=c", is: try #require(URL(string: "https://example.com/a?b=c")))
    let id = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
    try expect(id, is: try #require(UUID(uuidString: id)))
    try expectError("today", of: Date.self, "expected a date")
    try expectError("soon", of: Duration.self, "expected a duration")
    try expectError("!", of: Data.self, "expected data")
  }

  @Test func enumerationsAreRead() throws {
    try expect("debug", is: Level.debug)
    try expect("2", is: Size.large)
    try expectError("verbose", of: Level.self, "expected one of info, debug")
    try expectError("3", of: Size.self, "expected one of 1, 2")
  }

  @Test func arraysAndDictionariesAreJSON() throws {
    try expect("[1, 2]", is: [1, 2])
    try expect(#"["a", null]"#, is: ["a", nil] as [String?])
    try expect(#" {"a": 1}"#, is: ["a": 1])
    try expect("[]", is: [Int]())
    try expectError("1,2", of: [Int].self, "expected an array")
    try expectError("[1", of: [Int].self, "expected an array")
    try expectError("[\"1\"]", of: [Int].self, "expected a number")
    try expectError("a", of: [String: Int].self, "expected a dictionary")
    // Strict JSON has no text without quotation marks.
    try expectError("[a]", of: [String].self, "expected an array")
    let deep = String(repeating: "[", count: 100_000)
    try expectError(deep, of: [Int].self, "expected an array")
  }

  @Test func structureIsReadFromJSONAndFromMembers() throws {
    let server = Server(host: "h", port: 1, userName: nil)
    let whole = KeyValueStore(layers: [
      .environment(prefix: "", ["SERVER": #"{"host": "h", "port": 1}"#])
    ])
    #expect(StoredValue(wrappedValue: Server(), "server", in: whole).wrappedValue == server)
    let members = KeyValueStore(layers: [
      .environment(prefix: "", ["SERVER__HOST": "h", "SERVER__PORT": "1"])
    ])
    #expect(StoredValue(wrappedValue: Server(), "server", in: members).wrappedValue == server)
    // A member whose own members are JSON, in a structure that lacks others.
    let nested = KeyValueStore(layers: [
      .commandLine([#"--server__limits={"size": 5}"#, "--server__host=h", "--server__port=1"])
    ])
    #expect(
      StoredValue(wrappedValue: Server(), "server", in: nested).wrappedValue
        == Server(
          host: "h", port: 1, userName: nil, limits: Server.Limits(count: 10, size: 5)))
  }
}
