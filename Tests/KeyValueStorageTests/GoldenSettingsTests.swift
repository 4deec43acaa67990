import FoundationEssentials
import Testing

@testable import KeyValueStorage

/// Settings files of this version, which must be written identically, and of versions that wrote
/// dates and durations in other forms; all must remain readable.
///
/// While the format may still change, `LOCKET_GOLDEN=write swift test --filter GoldenSettings`
/// rewrites the files of this version.
struct GoldenSettingsTests {
  private enum Shape: Codable, Equatable, Sendable { case circle(radius: Int), none }
  private enum Size: String, Codable, Sendable { case small }
  private struct Server: Codable, Equatable, Sendable {
    var host: String
    var ports: [Int]
    var since: Date?
    var flags: [String: Bool]
    var key: Data
  }

  /// A key and its value: how to set it, and whether a store has it.
  private struct Case: Sendable {
    let key: String
    let set: @Sendable (KeyValueStore) throws -> Void
    let isRead: @Sendable (KeyValueStore) throws -> Bool

    init(_ key: String, _ value: some Codable & Equatable & Sendable) {
      self.key = key
      set = { try $0.set(value, for: key) }
      isRead = { try $0.value(of: key) == value }
    }
  }

  private static let cases = [
    Case("true", true), Case("int", 42), Case("negative", Int64.min), Case("unsigned", UInt64.max),
    Case("wide", UInt128.max), Case("byte", UInt8.max), Case("double", 0.8), Case("whole", 1.0),
    Case("large", 1e20), Case("float", Float(0.1)), Case("infinity", -Double.infinity),
    Case("text", "text"), Case("empty", ""), Case("emoji", "🗝️ ß \u{301}"), Case("zero", "a\0b"),
    Case("null text", "$null"), Case("markup", "<&>\"'\r\n\t"),
    Case("date", Date(timeIntervalSince1970: 1_795_275_998)),
    Case("fraction", Date(timeIntervalSince1970: 1_795_275_998.5)),
    Case("early date", Date.distantPast),
    Case("duration", Duration.seconds(90)), Case("short duration", Duration.milliseconds(-250)),
    Case("longest duration", Duration(attoseconds: .max)),
    Case("data", Data([1, 2, 255])),
    Case("no data", Data()), Case("url", URL(string: "https://example.com/a?b=c#d")),
    Case("optionals", [1, nil] as [Int?]), Case("nested optional", [Int??.some(nil)]),
    Case("dictionary", ["b": 1, "a": 2]), Case("int keys", [10: "x"]), Case("set", Set([3])),
    Case("shape", Shape.circle(radius: 1)), Case("no shape", Shape.none), Case("size", Size.small),
    Case(
      "server",
      Server(
        host: "example.com", ports: [80, 443], since: Date(timeIntervalSince1970: 0),
        flags: ["on": true, "off": false], key: Data(0...255))),
    Case("deep", [[[[["deep"]]]]]),
  ]

  private static let isWriting = ProcessInfo.processInfo.environment["LOCKET_GOLDEN"] == "write"

  private func fixture(_ format: KeyValueFormat, of version: String = "golden") -> URL {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/\(version)-\(format)")
  }

  private func written(_ format: KeyValueFormat) throws -> Data {
    let file = try TestFile(format)
    let store = file.open()
    for golden in Self.cases { try golden.set(store) }
    return try Data(contentsOf: URL(filePath: file.path))
  }

  @Test(arguments: ["golden", "older"], KeyValueFormat.allCases)
  func goldenSettingsAreRead(_ version: String, _ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    try Data(contentsOf: fixture(format, of: version)).write(to: URL(filePath: file.path))
    let store = file.open()
    #expect(try store.keys() == Self.cases.map(\.key).sorted())
    for golden in Self.cases { #expect(try golden.isRead(store), "\(golden.key)") }
  }

  /// Only a changed setting gets the form of this version.
  @Test(arguments: KeyValueFormat.allCases)
  func unchangedSettingsKeepTheFormOfTheOlderVersion(_ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    try Data(contentsOf: fixture(format, of: "older")).write(to: URL(filePath: file.path))
    let older = try file.bytes
    let store = file.open()
    try store.set(43, for: "int")
    try store.set(42, for: "int")
    #expect(try file.bytes == older)
    try store.set(Duration.seconds(90), for: "duration")
    #expect(try file.bytes != older)
  }

  @Test(arguments: KeyValueFormat.allCases)
  func goldenSettingsAreWrittenAlike(_ format: KeyValueFormat) throws {
    let bytes = try written(format)
    if Self.isWriting { try bytes.write(to: fixture(format)) }
    #expect(try bytes == Data(contentsOf: fixture(format)))
  }
}
