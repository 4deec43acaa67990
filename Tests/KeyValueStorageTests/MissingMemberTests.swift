import FoundationEssentials
import Testing

@testable import KeyValueStorage

/// Structures of which the file lacks members.
struct MissingMemberTests {
  private struct Remote: Codable, Equatable, Sendable {
    var host = "localhost"
    var port = 8443
    var user: String? = "default"
    var retries = ["read": 3]
  }

  private struct Sync: Codable, Equatable, Sendable {
    var remote = Remote()
    var interval = Duration.seconds(60)
  }

  private let file: TestFile

  init() throws { file = try TestFile() }

  private func setting<Value: Codable & Sendable>(
    _ json: String, default defaultValue: Value
  ) throws -> StoredValue<Value> {
    try file.overwrite("{\"key\": \(json)}")
    return StoredValue(wrappedValue: defaultValue, "key", in: file.open())
  }

  @Test func missingMemberIsThatOfTheDefault() throws {
    let sync = try setting(#"{"remote": {"host": "h"}}"#, default: Sync())
    #expect(sync.wrappedValue == Sync(remote: Remote(host: "h", user: nil)))
    #expect(try sync.load() == sync.wrappedValue && sync.error == nil)
    // A change in place is one of the value that was read, and writes all of it.
    sync.wrappedValue.interval = .milliseconds(1500)
    #expect(sync.error == nil)
    #expect(
      try file.open().value(of: "key")
        == Sync(remote: Remote(host: "h", user: nil), interval: .milliseconds(1500)))
  }

  @Test func emptyStructureIsTheDefaultWithoutOptionals() throws {
    #expect(try setting("{}", default: Remote()).wrappedValue == Remote(user: nil))
    let optional = try setting("{}", default: Optional(Remote()))
    #expect(optional.wrappedValue == Remote(user: nil))
  }

  @Test func dictionaryGetsNoEntryOfTheDefault() throws {
    let remote = try setting(#"{"retries": {}}"#, default: Remote())
    #expect(remote.wrappedValue.retries == [:] && remote.wrappedValue.port == 8443)
    let defaults = ["a": Remote(port: 1), "b": Remote(port: 2)]
    let remotes = try setting(#"{"b": {"host": "h"}}"#, default: defaults)
    #expect(remotes.wrappedValue == ["b": Remote(host: "h", port: 2, user: nil)])
  }

  @Test func propertyCompletesFromItsOwnDefault() throws {
    let store = file.open()
    let ports = [1, 2, 1]
    let remotes = ports.map { StoredValue(wrappedValue: Remote(port: $0), "key", in: store) }
    func overwrite(_ json: String) throws {
      try file.overwrite("{\"key\": \(json)}")
      try store.load()
      store.finishHandlers()
    }
    try overwrite(#"{"host": "a"}"#)
    #expect(store.declare(remotes[0], remotes[1], remotes[2]) == [])
    #expect(remotes.map(\.wrappedValue) == ports.map { Remote(host: "a", port: $0, user: nil) })
    // A set value is complete, and is that of all properties.
    remotes[1].wrappedValue.host = "b"
    #expect(remotes.map(\.wrappedValue) == ports.map { _ in Remote(host: "b", port: 2, user: nil) })
    try overwrite(#"{"host": "c"}"#)
    #expect(remotes.map(\.wrappedValue.port) == ports)
    // Each property keeps its last valid value, and one mistake is reported once.
    try overwrite(#"{"host": 7}"#)
    #expect(remotes.map(\.wrappedValue.host) == ["c", "c", "c"])
    #expect(remotes.map(\.wrappedValue.port) == ports)
    let error = try #require(remotes[0].error)
    #expect(remotes.allSatisfy { $0.error == error })
    #expect(ReportedFailures.count(of: error) == 1)
  }

  /// Returns the mistake in a value, with its place; nil if there is none.
  private func mistake<Value: Codable & Equatable & Sendable>(
    _ json: String, default defaultValue: Value
  ) throws -> String? {
    let setting = try setting(json, default: defaultValue)
    #expect(setting.wrappedValue == defaultValue)
    guard case .undecodable(let mistake)? = setting.error else { return nil }
    return mistake.description.replacing("\(file.path), ", with: "")
  }

  @Test func otherMistakeRemainsAnError() throws {
    #expect(
      try mistake(#"{"remote": {"port": "x"}}"#, default: Sync())
        == #"line 1, column 29: key.remote.port is "x", expected a number"#)
    #expect(
      try mistake(#"{"remote": {"port": null}}"#, default: Sync())
        == "line 1, column 29: key.remote.port is null, expected a number")
    #expect(
      try mistake("{}", default: Remote?.none)
        == "line 1, column 9: key: the key host is missing (type Optional<Remote>)")
    #expect(
      try mistake(#"[{"host": "h"}]"#, default: [Remote()])
        == "line 1, column 10: key[0]: the key port is missing (type Array<Remote>)")
    #expect(
      try mistake("{}", default: Unencodable())
        == "line 1, column 9: key: the key number is missing (type Unencodable)")
    try file.overwrite(#"{"key": {"host": "h"}}"#)
    #expect(throws: KeyValueStoreError.self) {
      try file.open().value(of: "key", as: Remote.self)
    }
  }

  private struct Unencodable: Codable, Equatable, Sendable {
    enum CodingKeys: CodingKey { case number }
    var number = 7

    func encode(to encoder: any Encoder) throws {}
  }

  /// A structure that had a percentage before it had a level.
  private struct Volume: Codable, Equatable, Sendable {
    enum CodingKeys: CodingKey { case level, percentage, isMuted }
    var level = 0.5
    var isMuted = true

    init(level: Double = 0.5, isMuted: Bool = true) {
      (self.level, self.isMuted) = (level, isMuted)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      do {
        level = try container.decode(Double.self, forKey: .level)
      } catch DecodingError.keyNotFound {
        level = try Double(container.decode(Int.self, forKey: .percentage)) / 100
      }
      isMuted = try container.decode(Bool.self, forKey: .isMuted)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(level, forKey: .level)
      try container.encode(isMuted, forKey: .isMuted)
    }
  }

  @Test func migratingTypeDecodesWhatIsStored() throws {
    let volume = try setting(#"{"percentage": 80}"#, default: Volume())
    #expect(volume.wrappedValue == Volume(level: 0.8) && volume.error == nil)
    #expect(
      try mistake("{}", default: Volume())
        == "line 1, column 9: key: the key percentage is missing (type Volume)")
  }

  /// `PropertyListEncoder` writes nil as the text `$null`.
  @Test func nilOfFoundationIsReadBesideMissingMembers() throws {
    let list = try TestFile(.xml)
    try list.overwrite(
      """
      <plist version="1.0"><dict><key>key</key><dict><key>port</key><string>$null</string>\
      </dict></dict></plist>
      """)
    struct Ports: Codable, Equatable, Sendable {
      var port: Int? = 1
      var other = 2
    }
    let ports = StoredValue(wrappedValue: Ports(), "key", in: list.open())
    #expect(ports.wrappedValue == Ports(port: nil) && ports.error == nil)
  }
}
