import FoundationEssentials
import KeychainCompatibility
import Testing

/// Items of 0.x adapters that are converted without the app's types.
struct AdapterValueTypeTests {
  private typealias Converted = Codable & Equatable & Sendable

  private let store = InMemorySecretStore()

  private func outcome(
    _ json: String, _ type: AdapterValueType, decoder: JSONDecoder = JSONDecoder()
  ) throws -> ImportReport.Outcome {
    for item in store.items(matching: .all) { try store.remove(item.id, expecting: item.revision) }
    try store.add(json: json, "service", "key")
    var migration = AdapterMigration(serviceIdentifier: "service", jsonDecoder: decoder, in: store)
    migration.convert("key", asJSON: type)
    let plan = try migration.run(isDryRun: true)
    #expect(try store.text("service", "key") == json)
    #expect(try migration.run() == plan)
    return try #require(plan.entries.first).outcome
  }

  private func expect<Value: Converted>(
    _ json: String, _ type: AdapterValueType, becomes value: Value,
    decoder: JSONDecoder = JSONDecoder(), sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(
      try outcome(json, type, decoder: decoder) == .converted, "\(json)",
      sourceLocation: sourceLocation)
    let password = PasswordItem<Value>(.generic(service: "service", account: "key"), in: store)
    #expect(password.value == value, "\(json)", sourceLocation: sourceLocation)
  }

  private func expectRefused(
    _ json: String, _ type: AdapterValueType, _ reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try outcome(json, type) == .refused(reason), "\(json)", sourceLocation: sourceLocation)
    #expect(try store.text("service", "key") == json, sourceLocation: sourceLocation)
    #expect(try store.names() == ["service/key"], sourceLocation: sourceLocation)
  }

  @Test func unambiguousValuesAreConverted() throws {
    let address = URL(string: "https://x.org")!
    let values: [(String, any Converted)] = [
      ("true", true), ("false", false), (#""The Valley Wind""#, "The Valley Wind"), (#""""#, ""),
      (#""\"twice\"""#, #""twice""#), (#""https:\/\/x.org""#, "https://x.org"),
      (#""https:\/\/x.org""#, address), ("[]", [Int]()), ("[true]", [true]),
      (#"["Peter"]"#, ["Peter"]),
      (
        #"{"a":{"b":[null,"Peter"]}}"#,
        ["a": ["b": [nil, "Peter"]]] as [String: [String: [String?]]]
      ),
    ]
    for (json, value) in values { try expect(json, .unambiguous, becomes: value) }
  }

  @Test func ambiguousValuesAreRefused() throws {
    let number = "an integer, another number or a date"
    for (reason, texts) in [
      ("It may be \(number)", ["15", "0.5", "-1e3", "18446744073709551615"]),
      ("It may be a string or data", [#""password""#]),
      ("It may be a string or a date", [#""2020-09-13T12:26:40Z""#]),
      ("It may be a string or a UUID", [#""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#]),
      ("A nested value may be \(number)", ["[1]", #"{"age":1.5}"#, "[[[1]]]"]),
      ("A nested value may be a string or data", [#"["Anna"]"#, #"{"tajny":""}"#]),
      ("A nested value may be a string or a URL", [#"["https:\/\/x.org"]"#]),
    ] {
      for json in texts { try expectRefused(json, .unambiguous, "\(reason). Declare its type.") }
    }
  }

  @Test func declaredTypesAreConverted() throws {
    let id = UUID()
    let values: [(String, AdapterValueType, any Converted)] = [
      ("15", .integer, 15), ("-5", .integer, Int8(-5)),
      ("18446744073709551615", .integer, UInt64.max), ("15", .double, 15.0),
      ("0.1", .double, 0.1), ("0.1", .float, Float(0.1)), ("true", .boolean, true),
      (#""password""#, .string, "password"), (#""AQL/""#, .data, Data([1, 2, 255])),
      (#""https:\/\/x.org""#, .url, URL(string: "https://x.org")!),
      ("0.5", .date, Date(timeIntervalSinceReferenceDate: 0.5)), ("15", .plain, 15),
      ("0.5", .plain, 0.5), (#""password""#, .plain, "password"),
      (#""high""#, .rawValue, Level.high), ("2", .rawValue, Rank.second),
      ("\"\(id.uuidString)\"", .rawValue, id), ("[1,2]", .array(of: .plain), [1, 2]),
      ("[1]", .array(of: .integer), Set([1])),
      ("[0,null]", .array(of: .date), [Date(timeIntervalSinceReferenceDate: 0), nil]),
      (#"{"name":"Anna","age":15}"#, .plain, Person(age: 15, name: "Anna")),
    ]
    for (json, type, value) in values { try expect(json, type, becomes: value) }
  }

  private enum Level: String, Codable { case high }
  private enum Rank: Int, Codable { case second = 2 }

  private struct Profile: Codable, Equatable {
    let name: String
    let born: Date
    let photos: [Data]
    let weight: Float
    let home: URL
    var level: Level?
    let isOpen: Bool
  }

  @Test func membersHaveDeclaredTypes() throws {
    let profile = Profile(
      name: "Peter", born: Date(timeIntervalSinceReferenceDate: 12.25),
      photos: [Data([1]), Data()], weight: 0.1, home: try #require(URL(string: "https://x.org")),
      isOpen: true)
    let json = String(decoding: try JSONEncoder().encode(profile), as: UTF8.self)
    var types: [String: AdapterValueType] = [
      "born": .date, "photos": .array(of: .data), "weight": .float, "home": .url, "level": .string,
    ]
    try expect(json, .object(types), becomes: profile)
    types["weight"] = nil
    try expectRefused(
      json, .object(types),
      "A nested value may be an integer, another number or a date. Declare its type.")
  }

  @Test func decoderStrategiesApplyToDatesAndData() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    decoder.dataDecodingStrategy = .deferredToData
    let date = Date(timeIntervalSince1970: 1_600_000_000)
    try expect(#""2020-09-13T12:26:40Z""#, .date, becomes: date, decoder: decoder)
    try expect(
      #"{"a":"2020-09-13T12:26:40Z"}"#, .object(["a": .date]), becomes: ["a": date],
      decoder: decoder)
    try expect("[1,2]", .data, becomes: Data([1, 2]), decoder: decoder)
  }

  @Test func valueOfAnotherTypeIsRefused() throws {
    for (json, type) in [
      ("0.5", .integer), ("true", .integer), (#""1""#, .integer), ("15", .array(of: .integer)),
      ("[15]", .array(of: .string)), ("[1]", .object([:])), (#""a b""#, .array(of: .data)),
      ("1", .array(of: .plain)), (#"[1]"#, .rawValue),
    ] as [(String, AdapterValueType)] {
      let outcome = try outcome(json, type)
      guard case .refused(let reason) = outcome else {
        Issue.record("\(json) is \(outcome)")
        continue
      }
      #expect(reason.hasPrefix("It is not JSON of type "))
      #expect(try store.text("service", "key") == json)
    }
    try expectRefused("null", .plain, "It is null, which is not a value.")
    try expectRefused(#"["$null"]"#, .unambiguous, "It cannot be stored exactly.")
  }

  @Test func invalidJSONIsNative() throws {
    for text in ["tajny", "", "\u{1}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}", "{", "bplist00"] {
      #expect(try outcome(text, .unambiguous) == .native)
    }
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    #expect(try outcome(deep, .plain) == .native)
  }
}
