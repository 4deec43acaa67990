import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

/// Values of variables and options, which are decoded by the type of the property.
struct TextValuesTests {
  private enum Mode: String, Codable { case push, pull }
  private enum Level: Int, Codable { case low = -1, high = 1 }
  private enum Shape: Codable, Equatable { case circle(radius: Int), none }

  private struct Server: Codable, Equatable {
    var port = 1
    var mode: Mode?
    var tags: [String]?
  }

  /// Decodes a text from both layers of texts.
  private func read<Value: Codable & Equatable>(
    _ text: String, as type: Value.Type
  ) throws -> Value? {
    let variable = KeyValueStore(layers: [.environment(prefix: "A_", ["A_KEY": text])])
    let option = KeyValueStore(layers: [.commandLine(["--key=\(text)"])])
    let value = try variable.value(of: "key", as: type)
    #expect(try option.value(of: "key", as: type) == value)
    #expect(try variable.value(of: "key", as: Value?.self) == value)
    return value
  }

  private func expect<Value: Codable & Equatable>(
    _ text: String, is value: Value, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try read(text, as: Value.self) == value, sourceLocation: sourceLocation)
  }

  private func expect<Value: Codable>(
    _ text: String, isNo type: Value.Type, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for (store, name) in [
      (KeyValueStore(layers: [.environment(prefix: "A_", ["A_KEY": text])]), "A_KEY"),
      (KeyValueStore(layers: [.commandLine(["--key=\(text)"])]), "--key"),
    ] {
      #expect(sourceLocation: sourceLocation) {
        try store.value(of: "key", as: type)
      } throws: { error in
        guard case .undecodable(let value)? = error as? KeyValueStoreError else { return false }
        return value.key == "key" && value.store.hasPrefix("\(name) ")
          && (text.count < 3 || !"\(error)".contains(text))
      }
    }
  }

  @Test func base64AndURLsMayLookLikeNumbers() throws {
    try expect("12345678", is: Data(base64Encoded: "12345678")!)
    try expect("1e10", is: Data(base64Encoded: "1e10")!)
    try expect("8080", is: URL(string: "8080")!)
  }

  @Test func booleans() throws {
    for text in ["true", "TRUE", "yes", "Yes", "on", "1"] { try expect(text, is: true) }
    for text in ["false", "False", "no", "off", "0"] { try expect(text, is: false) }
    for text in ["", "2", "treu", " true", "y", "null"] { expect(text, isNo: Bool.self) }
  }

  @Test func strings() throws {
    for text in ["8443", "", "true", "{", "[1]", "\"x\"", "null", "$null:1", "a=b", "é", " x "] {
      let store = KeyValueStore(layers: [.environment(prefix: "A_", ["A_KEY": text])])
      #expect(try store.value(of: "key") == text)
    }
    #expect(try read("$base64:QQ==", as: String.self) == "$base64:QQ==")
  }

  @Test func integersOfEachSize() throws {
    func check<Integer: FixedWidthInteger & Codable>(_ type: Integer.Type) throws {
      try expect("\(Integer.max)", is: Integer.max)
      try expect("\(Integer.min)", is: Integer.min)
      try expect("+7", is: 7 as Integer)
      try expect("007", is: 7 as Integer)
      try expect("1e1", is: 10 as Integer)
      try expect("2.0", is: 2 as Integer)
      expect("\(Integer.max)0", isNo: type)
      for text in [
        "", "x", "1.5", "0x10", "1_000", "1-2", " 1", "1 ", "true", "--1", "١", "e", ".",
      ] {
        expect(text, isNo: type)
      }
    }
    try check(Int.self)
    try check(Int8.self)
    try check(Int16.self)
    try check(Int32.self)
    try check(Int64.self)
    try check(UInt.self)
    try check(UInt8.self)
    try check(UInt16.self)
    try check(UInt32.self)
    try check(UInt64.self)
    try check(Int128.self)
    try check(UInt128.self)
  }

  @Test func otherNumbers() throws {
    try expect("0.1", is: 0.1)
    try expect("0.1", is: Float(0.1))
    try expect("-1e-3", is: -0.001)
    try expect("5", is: 5.0)
    try expect("inf", is: Double.infinity)
    try expect("-Infinity", is: -Float.infinity)
    #expect(try read("12345678901234567890123", as: NumberLiteral.self)?.description.count == 23)
    for text in ["", "x", "1e999", "0x1p3", "1,5", "true"] {
      expect(text, isNo: Double.self)
      expect(text, isNo: Float.self)
    }
    expect("x", isNo: NumberLiteral.self)
  }

  @Test func datesDurationsDataAndAddresses() throws {
    let date = Date(timeIntervalSince1970: 1_795_275_998.25)
    try expect("2026-11-21T16:46:38.25+01:00", is: date)
    for text in ["", "8443", "2026-11-21", "today"] { expect(text, isNo: Date.self) }
    try expect("90", is: Duration.seconds(90))
    try expect("-0.5", is: Duration.milliseconds(-500))
    try expect("1.000000000000000001", is: .seconds(1) + Duration(attoseconds: 1))
    for text in ["", "1h", "true", "."] { expect(text, isNo: Duration.self) }
    try expect("AQL/", is: Data([1, 2, 255]))
    for text in ["AQL", "&&&&"] { expect(text, isNo: Data.self) }
    try expect(
      "https://example.com/a?b=c", is: try #require(URL(string: "https://example.com/a?b=c")))
    let id = UUID()
    try expect(id.uuidString, is: id)
    expect("xyz", isNo: UUID.self)
  }

  @Test func enumerations() throws {
    try expect("push", is: Mode.push)
    try expect("-1", is: Level.low)
    try expect(#"{"circle": {"radius": 2}}"#, is: Shape.circle(radius: 2))
    for text in ["psh", "", "1"] { expect(text, isNo: Mode.self) }
    for text in ["2", "low"] { expect(text, isNo: Level.self) }
    for text in ["circle", #"{"triangle": {}}"#, #"{"circle": {"radius": "xyz"}}"#] {
      expect(text, isNo: Shape.self)
    }
  }

  @Test func optionals() throws {
    let store = KeyValueStore(layers: [.environment(prefix: "A_", ["A_KEY": "null", "A_E": ""])])
    #expect(try store.value(of: "key", as: Int?.self) == .some(nil))
    #expect(try store.value(of: "key", as: Server?.self) == .some(nil))
    #expect(try store.value(of: "key", as: String?.self) == .some(nil))
    #expect(try store.value(of: "e", as: String?.self) == "")
    #expect(throws: KeyValueStoreError.self) { try store.value(of: "e", as: Int?.self) }
    #expect(try read("5", as: Int??.self) == 5)
    #expect(StoredValue<Int?>("key", in: store).wrappedValue == nil)
    #expect(StoredValue<Int?>("key", in: store).isSet)
  }

  @Test func structuresArraysAndDictionariesAreJSON() throws {
    try expect(#"{"port": 2, "mode": "pull"}"#, is: Server(port: 2, mode: .pull))
    try expect("[1, 2]", is: [1, 2])
    try expect(#" [["a"], []]"#, is: [["a"], []])
    try expect(#"{"a": 1}"#, is: ["a": 1])
    try expect("[1, 1, 2]", is: Set([1, 2]))
    let wrong = [
      "{", "[1, 2]", "word", "8443", #"{"port": "secret"}"#, #"{"mode": "secret"}"#, #"{"port": 1"#,
      #"{"port": 1, "tags": [1]}"#, "{}",
    ]
    for text in wrong { expect(text, isNo: Server.self) }
    for text in ["[1, \"secret\"]", "{}", "[1"] { expect(text, isNo: [Int].self) }
    let store = KeyValueStore(layers: [.environment(prefix: "A_", ["A_KEY": "a,b"])])
    #expect(throws: KeyValueStoreError.self) { try store.value(of: "key", as: [String].self) }
  }

  @Test func wrongMemberIsNamed() {
    let store = KeyValueStore(layers: [
      .commandLine(["--server:mode", "psh"]),
      .environment(prefix: "A_", ["A_SERVER": #"{"port": 1}"#, "A_OTHER__PORT": "secret"]),
    ])
    for (key, name) in [("server", "--server:mode"), ("other", "A_OTHER__PORT")] {
      #expect {
        try store.value(of: key, as: Server.self)
      } throws: { "\($0)".hasPrefix("\(name) ") && !"\($0)".contains("psh") }
    }
  }

  @Test func repeatedOptionIsAnArray() throws {
    let store = KeyValueStore(layers: [
      .commandLine(["--a", "1", "--b", "x", "--a=2", "--c", "[3, 4]", "--d", "5"])
    ])
    #expect(try store.value(of: "a") == [1, 2])
    #expect(try store.value(of: "a") == ["1", "2"])
    #expect(try store.value(of: "b") == ["x"])
    #expect(try store.value(of: "c") == [3, 4])
    #expect(try store.value(of: "a", as: Set<Double>.self) == [1, 2])
    for type in [Int.self, String.self, Server.self, Bool?.self, Duration.self]
      as [any Decodable.Type]
    {
      #expect {
        _ = try Self.read("a", as: type, in: store)
      } throws: { "\($0)".contains("--a") }
    }
    #expect {
      try store.value(of: "a", as: Int.self)
    } throws: { "\($0)".hasPrefix("--a on the command line: a is invalid: it is given 2 times") }
  }

  /// Reads the description of random values of a type from variables and options.
  private func checkRandom<Value: Codable & Equatable>(
    _ make: (inout SeededGenerator) -> Value, text: (Value) -> String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var random = SeededGenerator(seed: 1)
    let values = (0..<Campaign.size(sample: 500, full: 20_000)).map { _ in make(&random) }
    let texts = values.enumerated().map { (key: "\($0.offset)", text: text($0.element)) }
    let variables = Dictionary(uniqueKeysWithValues: texts.map { ("A_\($0.key)", $0.text) })
    let stores = [
      KeyValueStore(layers: [.environment(prefix: "A_", variables)]),
      KeyValueStore(layers: [.commandLine(texts.map { "--\($0.key)=\($0.text)" })]),
    ]
    for (index, value) in values.enumerated() {
      for store in stores {
        #expect(
          try store.value(of: "\(index)", as: Value?.self) == value, sourceLocation: sourceLocation)
      }
    }
  }

  @Test func randomScalarsAreReadFromTheirDescription() throws {
    func integers<Integer: FixedWidthInteger & Codable>(_: Integer.Type) throws {
      try checkRandom({ Integer.random(in: .min ... .max, using: &$0) }, text: { "\($0)" })
    }
    try integers(Int.self)
    try integers(Int8.self)
    try integers(UInt16.self)
    try integers(Int32.self)
    try integers(UInt64.self)
    try integers(Int128.self)
    try integers(UInt128.self)
    try checkRandom(
      { Double(sign: .plus, exponent: .random(in: -99..<99, using: &$0), significand: 1.1) },
      text: { "\($0)" })
    try checkRandom({ Float.random(in: -1e9..<1e9, using: &$0) }, text: { "\($0)" })
    try checkRandom({ Bool.random(using: &$0) }, text: { "\($0)" })
    try checkRandom(
      { random in Data((0..<7).map { _ in UInt8.random(in: 0...255, using: &random) }) },
      text: { $0.base64EncodedString() })
    try checkRandom(
      { Duration.milliseconds(Int.random(in: -9_999_999..<9_999_999, using: &$0)) },
      text: { duration in
        let (seconds, attoseconds) = duration.components
        let digits = String(abs(attoseconds) / 1_000_000_000_000_000 + 1000).dropFirst()
        return "\(duration < .zero ? "-" : "")\(abs(seconds)).\(digits)"
      })
    try checkRandom(
      { random in
        String(
          String.UnicodeScalarView(
            (0..<5).compactMap { _ in Unicode.Scalar(UInt32.random(in: 1..<0x3000, using: &random))
            }))
      }, text: { $0 })
  }

  private static func read<Value: Decodable>(
    _ key: String, as type: Value.Type, in store: KeyValueStore
  ) throws -> Value? { try store.value(of: key, as: type) }
}
