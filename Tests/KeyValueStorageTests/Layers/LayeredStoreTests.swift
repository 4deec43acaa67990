import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

/// A store of a command line, an environment and two files.
struct LayeredStoreTests {
  private let files: LayerFiles

  init() throws { files = try LayerFiles() }

  private func port(_ store: KeyValueStore) -> StoredValue<Int> {
    StoredValue(wrappedValue: 1, "server.port", in: store)
  }

  @Test func firstLayerWithTheKeyHasTheValue() throws {
    #expect(port(files.open()).wrappedValue == 1)
    #expect(port(files.open()).source == .defaultValue)
    try files.systemStore.set(2, for: "server.port")
    #expect(port(files.open()).wrappedValue == 2)
    #expect(port(files.open()).source == .store(name: files.system.path))
    try files.writeUser(#"{"server.port": 3}"#)
    #expect(port(files.open()).wrappedValue == 3)
    #expect(port(files.open()).source == .store(name: files.user.path))
    let variables = ["NOTES_SERVER_PORT": "4", "OTHER_SERVER_PORT": "9", "SERVER_PORT": "9"]
    #expect(port(files.open(variables)).wrappedValue == 4)
    #expect(
      port(files.open(variables)).source == .environment(variable: "NOTES_SERVER_PORT"))
    let store = files.open(variables, arguments: ["--server.port", "5"])
    #expect(port(store).wrappedValue == 5)
    #expect(port(store).source == .commandLine(option: "--server.port"))
    #expect(store.source(of: "server.port") == .commandLine(option: "--server.port"))
    #expect(try store.value(of: "server.port") == 5)
    #expect(port(store).isSet)
    #expect(port(store).error == nil)
  }

  @Test func sourceOfAPlainStore() throws {
    let store = KeyValueStore(json: files.user, writes: .coalesced(within: .seconds(100_000)))
    #expect(port(store).source == .defaultValue)
    port(store).wrappedValue = 2
    #expect(port(store).source == .unsaved(name: files.user.path))
    try store.synchronize()
    #expect(port(store).source == .store(name: files.user.path))
    port(store).reset()
    #expect(port(store).source == .defaultValue)
    try store.transaction {
      port(store).wrappedValue = 3
      #expect(port(store).source == .unsaved(name: files.user.path))
    }
    #expect(port(store).source == .store(name: files.user.path))
  }

  @Test(arguments: [
    ("server.port", "SERVER_PORT"), ("server_port", "SERVER_PORT"), ("maximumSize", "MAXIMUM_SIZE"),
    ("useHTTPServer", "USE_HTTP_SERVER"), ("http2Port", "HTTP2_PORT"), ("port8", "PORT8"),
    ("a/b c", "A_B_C"), ("größe", "GR__E"), ("URL", "URL"), ("", ""), ("log-level", "LOG_LEVEL"),
  ])
  func keyHasAVariable(_ key: String, _ variable: String) throws {
    let store = files.open(["NOTES_\(variable)": "7"])
    #expect(try store.value(of: key) == 7)
    #expect(store.source(of: key) == .environment(variable: "NOTES_\(variable)"))
  }

  @Test func optionsAreReadInEachForm() throws {
    let store = files.open(arguments: [
      "run", "--a", "1", "--b=2", "--verbose", "--c", "-3", "-v", "--d=--x", "--e", "-v", "--f",
      "-",
      "--g=", "--last", "--", "--h", "4",
    ])
    #expect(try store.value(of: "a") == 1)
    #expect(try store.value(of: "b") == 2)
    #expect(try store.value(of: "verbose") == true)
    #expect(try store.value(of: "c") == -3)
    #expect(try store.value(of: "d") == "--x")
    #expect(try store.value(of: "e") == true)
    #expect(try store.value(of: "f") == "-")
    #expect(try store.value(of: "g") == "")
    #expect(try store.value(of: "last") == true)
    #expect(try store.value(of: "h", as: Int.self) == nil)
    #expect(try store.value(of: "v", as: Bool.self) == nil)
  }

  @Test func writesGoToTheFirstFile() throws {
    let store = files.open()
    try files.systemStore.set(2, for: "server.port")
    port(store).wrappedValue = 3
    #expect(try files.userStore.value(of: "server.port") == 3)
    #expect(try files.systemStore.value(of: "server.port") == 2)
    #expect(port(files.open()).wrappedValue == 3)
    let readOnly = KeyValueStore(layers: [
      .json(files.user, isReadOnly: true), .propertyList(files.system),
    ])
    try readOnly.set(4, for: "other")
    #expect(try files.systemStore.value(of: "other") == 4)
    #expect(try files.userStore.value(of: "other", as: Int.self) == nil)
  }

  @Test func removalUncoversTheLowerLayer() throws {
    let store = files.open()
    try files.systemStore.set(2, for: "server.port")
    try port(store).save(3)
    port(store).reset()
    #expect(port(store).wrappedValue == 2)
    #expect(try files.userStore.keys() == [])
    try port(store).save(4)
    try store.remove("server.port")
    #expect(try port(store).load() == 2)
    // Removing a key of a lower layer changes nothing.
    try store.remove("server.port")
    #expect(try port(store).load() == 2)
    #expect(port(store).source == .store(name: files.system.path))
  }

  @Test func nilHidesTheLowerLayer() throws {
    try files.systemStore.set("Nausicaä", for: "nickname")
    let store = files.open()
    let nickname = StoredValue<String?>("nickname", in: store)
    #expect(nickname.wrappedValue == "Nausicaä")
    nickname.wrappedValue = nil
    #expect(nickname.wrappedValue == nil)
    #expect(StoredValue<String?>("nickname", in: files.open()).wrappedValue == nil)
    nickname.reset()
    #expect(nickname.wrappedValue == "Nausicaä")
    #expect(try files.userStore.keys() == [])
  }

  @Test func overriddenKeyIsNotSet() throws {
    try files.writeUser(#"{"server.port": 3}"#)
    let before = try Data(contentsOf: files.user)
    let store = files.open(["NOTES_SERVER_PORT": "4"])
    let port = port(store)
    func expectReadOnly(_ error: (any Error)?) {
      guard case .readOnly(let message)? = error as? KeyValueStoreError else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(message.contains("\"server.port\""))
      #expect(message.contains("NOTES_SERVER_PORT in the environment"))
      #expect(!message.contains("4"))
    }
    expectReadOnly(#expect(throws: KeyValueStoreError.self) { try port.save(5) })
    expectReadOnly(
      #expect(throws: KeyValueStoreError.self) { try store.set(5, for: "server.port") })
    port.wrappedValue = 5
    expectReadOnly(port.error)
    port.wrappedValue += 1
    expectReadOnly(port.error)
    try store.transaction {
      port.wrappedValue = 5
      expectReadOnly(port.error)
      expectReadOnly(#expect(throws: KeyValueStoreError.self) { try port.save(5) })
    }
    #expect(port.wrappedValue == 4)
    #expect(try Data(contentsOf: files.user) == before)
    // The value in the file can be removed.
    try store.remove("server.port")
    #expect(try files.userStore.keys() == [])
    #expect(port.wrappedValue == 4)
  }

  @Test func storeWithoutAFileIsReadOnly() throws {
    let store = KeyValueStore(layers: [.environment(prefix: "A_", ["A_B": "1"])])
    let other = StoredValue(wrappedValue: 0, "other", in: store)
    #expect(try store.value(of: "b") == 1)
    #expect { try store.set(1, for: "other") } throws: { ($0 as? KeyValueStoreError)!.isReadOnly }
    other.wrappedValue = 5
    #expect(other.wrappedValue == 0)
    #expect(other.error?.isReadOnly == true)
    // There is nothing to remove.
    try store.remove("b")
    try store.transaction {}
    try store.synchronize()
    #expect(try KeyValueStore(layers: []).keys() == [])
  }

  @Test func keysAreThoseOfTheFilesAndOfPropertiesWithAText() throws {
    try files.systemStore.set(1, for: "system")
    try files.userStore.set(1, for: "user")
    let store = files.open(["NOTES_PORT": "1", "NOTES_UNKNOWN": "1"], arguments: ["--user", "2"])
    #expect(try store.keys() == ["system", "user"])
    #expect(StoredValue(wrappedValue: 0, "port", in: store).wrappedValue == 1)
    #expect(StoredValue(wrappedValue: 5, "absent", in: store).wrappedValue == 5)
    #expect(try store.keys() == ["port", "system", "user"])
  }

  @Test func unusedNamesAreThoseThatNoPropertyHasRead() throws {
    struct Server: Codable, Sendable { var port: Int? }
    let store = files.open(
      ["NOTES_PROT": "1", "NOTES_PORT": "2", "NOTES_SERVER__PORT": "3", "NOTES_SERVER__PROT": "4"],
      arguments: ["--port", "5", "--help", "--server:port=6"])
    #expect(StoredValue(wrappedValue: 0, "port", in: store).wrappedValue == 5)
    #expect(StoredValue(wrappedValue: Server(), "server", in: store).wrappedValue.port == 6)
    #expect(
      store.unusedNames() == [
        .commandLine(option: "--help"), .environment(variable: "NOTES_PROT"),
        .environment(variable: "NOTES_SERVER__PROT"),
      ])
    #expect(KeyValueStore().unusedNames() == [])
  }

  @Test(arguments: [
    ("server.port", "server_port", "NOTES_SERVER_PORT"), ("server", "server__port", "NOTES_SERVER"),
    ("maximumSize", "maximum-size", "NOTES_MAXIMUM_SIZE"), ("a", "a:b", "--a"),
  ])
  func twoKeysOfOneNameAreAnError(_ first: String, _ second: String, _ name: String) throws {
    for (first, second) in [(first, second), (second, first)] {
      let store = files.open()
      let one = StoredValue(wrappedValue: 1, first, in: store)
      // The same key has one name, in any number of properties.
      #expect(one.error == nil)
      #expect(StoredValue(wrappedValue: 3, first, in: store).error == nil)
      let other = StoredValue(wrappedValue: 2, second, in: store)
      #expect(other.wrappedValue == 2)
      for property in [one, other] {
        let error = try #require(property.error)
        guard case .invalid(let message) = error else {
          Issue.record("\(error)")
          return
        }
        #expect(message.contains("\"\(first)\""))
        #expect(message.contains("\"\(second)\""))
        #expect(message.contains(name))
        #expect(throws: error) { try property.load() }
      }
      #expect(ReportedFailures.count(of: try #require(other.error)) > 0)
      #expect(StoredValue(wrappedValue: 3, "another", in: store).error == nil)
    }
  }

  @Test func editsOfEachFileAreHeard() throws {
    let store = files.open()
    let heard = Heard<Int>()
    let observation = port(store).observe { heard.hear($1) }
    try files.systemStore.set(2, for: "server.port")
    #expect(heard.wait(for: 2))
    try files.writeUser(#"{"server.port": 3}"#)
    #expect(heard.wait(for: 3))
    // A hidden change is no news.
    try files.systemStore.set(4, for: "server.port")
    try files.systemStore.set(4, for: "other")
    let keys = Heard<String>()
    let all = store.observe { keys.hear($0) }
    try files.systemStore.set(5, for: "other")
    #expect(keys.wait(for: "other"))
    try files.writeUser(#"{"other": 0}"#)
    #expect(heard.wait(for: 4))
    #expect(heard.all == [2, 3, 4])
    observation.cancel()
    all.cancel()
  }

  enum ForeignChange: CaseIterable {
    case none, ofTheWritableFile, ofAnotherFile
  }

  @Test(arguments: ForeignChange.allCases)
  func updateHasTheRevisionOfTheLastReadingOnlyWithoutForeignChanges(
    _ change: ForeignChange
  ) async throws {
    try await files.userStore.set(1, for: "a")
    try await files.systemStore.set(1, for: "a")
    let backend = files.open().backend
    var known = try backend.load()
    // The time of a file that has just been written does not identify its content.
    try await suspend {
      known = try backend.load()
      return try !backend.hasChanged(since: known.revision)
    }
    switch change {
    case .none: break
    case .ofTheWritableFile: try await files.userStore.set(2, for: "a")
    case .ofAnotherFile: try await files.systemStore.set(2, for: "a")
    }
    var revision: Int64?
    let updated = try backend.update { contents in
      revision = contents.revision
      return KeyValueChanges()
    }
    #expect((revision == known.revision) == (change == .none))
    #expect((updated.revision == known.revision) == (change == .none))
  }

  @Test func unreadableLayerIsAnErrorThatNamesIt() throws {
    try files.writeUser(#"{"server.port": 3}"#)
    let store = files.open()
    #expect(port(store).wrappedValue == 3)
    try Data("{".utf8).write(to: files.system)
    #expect {
      try store.load()
    } throws: { "\($0)".contains(files.system.path) }
    #expect(port(store).wrappedValue == 3)
    #expect(throws: KeyValueStoreError.self) { try store.set(4, for: "server.port") }
    try FileManager.default.removeItem(at: files.system)
    try store.set(4, for: "server.port")
    #expect(port(store).wrappedValue == 4)
  }

  @Test func migrationsSeeTheWritableFileAlone() throws {
    try files.systemStore.set("red", for: "colour")
    try files.systemStore.set(9, for: "$version")
    try files.writeUser(#"{"name": "x"}"#)
    let migrations = [
      KeyValueMigration(to: 1) { (settings: inout KeyValueDraft) throws in
        #expect(settings.keys == ["name"])
        #expect(try settings.value(of: "colour", as: String.self) == nil)
        settings.rename("colour", to: "color")
        settings.rename("name", to: "title")
      }
    ]
    let store = files.open(["NOTES_NAME": "y", "NOTES__VERSION": "7"], version: 1, migrations)
    #expect(try store.value(of: "title") == "x")
    #expect(try store.value(of: "colour") == "red")
    #expect(try store.value(of: "name") == "y")
    #expect(try store.keys() == ["colour", "title"])
    #expect(try files.userStore.keys() == ["$version", "title"])
  }

  @Test func transactionsAndCoalescedWritesSeeAllLayers() throws {
    try files.systemStore.set(1, for: "count")
    let store = files.open(writes: .coalesced(within: .seconds(100_000)))
    let count = StoredValue(wrappedValue: 0, "count", in: store)
    count.wrappedValue += 1
    #expect(count.source == .unsaved(name: files.user.path))
    #expect(try files.userStore.keys() == [])
    try store.transaction {
      #expect(count.wrappedValue == 2)
      count.wrappedValue += 1
      count.reset()
      #expect(count.wrappedValue == 1)
      count.wrappedValue += 5
    }
    #expect(count.wrappedValue == 6)
    #expect(try files.userStore.value(of: "count") == 6)
    count.reset()
    #expect(count.wrappedValue == 1)
    try store.synchronize()
    #expect(try files.userStore.keys() == [])
    try store.set("x", for: "other")
    #expect(try files.systemStore.keys() == ["count"])
  }
}
