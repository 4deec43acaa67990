import FoundationEssentials
import KeychainCompatibility
import SecretStorage
import TestSupport
import Testing

/// Items of 0.x adapters that are converted without the app's types.
struct AdapterValueTypeTests {
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

  private func expect<Value: Codable & Sendable & Equatable>(
    _ json: String, _ type: AdapterValueType, becomes value: Value,
    decoder: JSONDecoder = JSONDecoder(), sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(
      try outcome(json, type, decoder: decoder) == .converted, "\(json)",
      sourceLocation: sourceLocation)
    let password = PasswordItem<Value>(.generic(service: "service", account: "key"), in: store)
    #expect(password.value == value, sourceLocation: sourceLocation)
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
    try expect("true", .unambiguous, becomes: true)
    try expect("false", .unambiguous, becomes: false)
    try expect(#""The Valley Wind""#, .unambiguous, becomes: "The Valley Wind")
    try expect(#""""#, .unambiguous, becomes: "")
    try expect(#""\"twice\"""#, .unambiguous, becomes: #""twice""#)
    try expect(#""https:\/\/x.org""#, .unambiguous, becomes: "https://x.org")
    try expect(#""https:\/\/x.org""#, .unambiguous, becomes: URL(string: "https://x.org")!)
    try expect("[]", .unambiguous, becomes: [Int]())
    try expect("[true]", .unambiguous, becomes: [true])
    try expect(#"["Peter"]"#, .unambiguous, becomes: ["Peter"])
    try expect(#"{"a":{"b":[null,"Peter"]}}"#, .unambiguous, becomes: ["a": ["b": [nil, "Peter"]]])
  }

  @Test func ambiguousValuesAreRefused() throws {
    let number = "It may be an integer, another number or a date. Declare its type."
    for json in ["15", "0.5", "-1e3", "18446744073709551615"] {
      try expectRefused(json, .unambiguous, number)
    }
    try expectRefused(#""password""#, .unambiguous, "It may be a string or data. Declare its type.")
    try expectRefused(
      #""2020-09-13T12:26:40Z""#, .unambiguous, "It may be a string or a date. Declare its type.")
    try expectRefused(
      #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#, .unambiguous,
      "It may be a string or a UUID. Declare its type.")
    for json in ["[1]", #"{"age":1.5}"#, "[[[1]]]"] {
      try expectRefused(
        json, .unambiguous,
        "A nested value may be an integer, another number or a date. Declare its type.")
    }
    for json in [#"["Anna"]"#, #"{"tajny":""}"#] {
      try expectRefused(
        json, .unambiguous, "A nested value may be a string or data. Declare its type.")
    }
    try expectRefused(
      #"["https:\/\/x.org"]"#, .unambiguous,
      "A nested value may be a string or a URL. Declare its type.")
  }

  @Test func declaredTypesAreConverted() throws {
    try expect("15", .integer, becomes: 15)
    try expect("-5", .integer, becomes: Int8(-5))
    try expect("18446744073709551615", .integer, becomes: UInt64.max)
    try expect("15", .double, becomes: 15.0)
    try expect("0.1", .double, becomes: 0.1)
    try expect("0.1", .float, becomes: Float(0.1))
    try expect("true", .boolean, becomes: true)
    try expect(#""password""#, .string, becomes: "password")
    try expect(#""AQL/""#, .data, becomes: Data([1, 2, 255]))
    try expect(#""https:\/\/x.org""#, .url, becomes: URL(string: "https://x.org")!)
    try expect("0.5", .date, becomes: Date(timeIntervalSinceReferenceDate: 0.5))
    try expect("15", .plain, becomes: 15)
    try expect("0.5", .plain, becomes: 0.5)
    try expect(#""password""#, .plain, becomes: "password")
    try expect(#""high""#, .rawValue, becomes: Level.high)
    try expect("2", .rawValue, becomes: Rank.second)
    let id = UUID()
    try expect("\"\(id.uuidString)\"", .rawValue, becomes: id)
    try expect("[1,2]", .array(of: .plain), becomes: [1, 2])
    try expect("[1]", .array(of: .integer), becomes: Set([1]))
    let dates = [Date(timeIntervalSinceReferenceDate: 0), nil]
    try expect("[0,null]", .array(of: .date), becomes: dates)
    try expect(#"{"name":"Anna","age":15}"#, .plain, becomes: Person(age: 15, name: "Anna"))
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
