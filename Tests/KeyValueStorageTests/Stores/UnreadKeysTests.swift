import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

/// Keys and members in a file that no property reads, which may be spelling mistakes.
struct UnreadKeysTests {
  private static let text = """
    {
      "volum": 0.5,
      "server": {"host": "a", "prot": 1, "port": 2},
      "servers": [{"host": "a", "port": 1}, {"hots": "b", "host": "b", "port": 2}],
      "byName": {"any": {"host": "a", "port": 1, "x.y": null}}
    }
    """

  private typealias Server = DaemonSettings.Server

  @Test func haveTheirPlacesInTheFile() throws {
    let file = try TestFile()
    try file.overwrite(Self.text)
    let settings = DaemonSettings(in: file.open())
    let byName = StoredValue(wrappedValue: [String: Server](), "byName", in: settings.store)
    let unread = try settings.store.unreadKeys()
    #expect(
      unread.map { "\($0.keyPath) \($0.line ?? 0):\($0.column ?? 0)" } == [
        #"byName.any."x.y" 5:53"#, "server.prot 3:35", "servers[1].hots 4:50", "volum 2:12",
      ])
    #expect(
      unread.last?.description
        == """
        \(file.path), line 2, column 12: volum is not a setting of this program. Correct its name, or \
        remove it.
        """)
    withExtendedLifetime(byName) {}
    #expect(ReportedFailures.about(file).isEmpty)
  }

  @Test(arguments: [KeyValueFormat.xmlPropertyList, .binaryPropertyList])
  func areFoundInPropertyLists(_ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    let store = file.open()
    try store.set(["host": "a", "prot": "b"], for: "names")
    let names = StoredValue(wrappedValue: Names(host: ""), "names", in: store)
    let unread = try store.unreadKeys()
    #expect(unread.map(\.keyPath) == ["names.prot"])
    #expect(unread.map(\.line) == [format == .xmlPropertyList ? 10 : nil])
    withExtendedLifetime(names) {}
  }

  private struct Names: Codable, Sendable {
    var host: String
  }

  @Test func keyOfAReleasedPropertyIsUnread() throws {
    let store = KeyValueStore()
    try store.set(1, for: "number")
    var number: StoredValue<Int>? = StoredValue(wrappedValue: 0, "number", in: store)
    #expect(try store.unreadKeys() == [])
    #expect(number?.wrappedValue == 1)
    number = nil
    #expect(try store.unreadKeys().map(\.keyPath) == ["number"])
  }

  @Test func memberThatOnePropertyReadsIsRead() throws {
    let store = KeyValueStore()
    try store.set(["host": "a", "prot": "b", "x": "c"], for: "names")
    let properties = (
      StoredValue(wrappedValue: Names(host: ""), "names", in: store),
      StoredValue<Others?>("names", in: store)
    )
    #expect(try store.unreadKeys().map(\.keyPath) == ["names.x"])
    // A value that cannot be decoded has an error instead.
    try store.set(["prot": 1], for: "names")
    #expect(try store.unreadKeys() == [])
    withExtendedLifetime(properties) {}
  }

  private struct Others: Codable, Sendable {
    var prot: String?
  }

  /// A type that opens its dictionary twice, like a subclass and its superclass.
  private struct Twice: Codable, Sendable {
    var names: Names
    var others: Others

    init(from decoder: any Decoder) throws {
      names = try Names(from: decoder)
      others = try Others(from: decoder)
    }
  }

  @Test func membersOfADictionaryThatIsOpenedTwiceAreRead() throws {
    let store = KeyValueStore()
    try store.set(["host": "a", "prot": "b", "x": "c"], for: "names")
    let property = StoredValue<Twice?>("names", in: store)
    #expect(try store.unreadKeys().map(\.keyPath) == ["names.x"])
    withExtendedLifetime(property) {}
  }

  @Test func versionOfTheStoreIsRead() throws {
    let file = try TestFile()
    let store = file.open(version: 1, [])
    try store.set(1, for: "number")
    #expect(try store.unreadKeys().map(\.keyPath) == ["number"])
    #expect(try file.open().unreadKeys().map(\.keyPath) == ["$version", "number"])
  }
}
