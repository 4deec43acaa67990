import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// Layers that are files, which people and other programs change.
struct LayeredFilesTests {
  private let user: TestFile
  private let system: TestFile

  init() throws {
    user = try TestFile()
    system = try TestFile(.xml)
  }

  /// A store that waits until files that another program is writing are complete.
  private func open(_ above: [KeyValueLayer] = []) -> KeyValueStore {
    let layers: [KeyValueLayer] = [
      .json(URL(filePath: user.path)), .propertyList(URL(filePath: system.path)),
    ]
    return KeyValueStore(
      LayeredBackend(above + layers), .durable, SettingsVersion(0, []),
      gracePeriod: .seconds(100_000))
  }

  private func setSystem(_ value: Int?, for key: String = "number") throws {
    let store = system.open()
    if let value { try store.set(value, for: key) } else { try store.remove(key) }
  }

  @Test func changesOfEachLayerNotifyObservers() throws {
    try setSystem(1)
    let store = open()
    let number = user.number(in: store)
    let heard = HeardValues(of: number)
    try setSystem(2)
    heard.wait(for: 2)
    try user.overwrite("{\"number\": 3}")
    heard.wait(for: 3)
    // A hidden value is no change.
    try setSystem(4)
    try setSystem(1, for: "other")
    #expect(try store.value(of: "other") == 1)
    try user.overwrite("{\"third\": 1}")
    heard.wait(for: 4)
    #expect(number.source == .file(path: system.path))
    #expect(heard.all == [2, 3, 4])
  }

  @Test func observersOfAllKeysHearOfEachLayer() throws {
    try user.overwrite("{\"a\": 1}")
    try setSystem(1, for: "b")
    let store = open()
    let heard = Heard<String>()
    let observation = store.observe { heard.hear($0) }
    try setSystem(2, for: "b")
    heard.wait(for: "b")
    try user.overwrite("{\"a\": 2}")
    heard.wait(for: "a")
    #expect(heard.all == ["b", "a"])
    observation.cancel()
  }

  /// Updates a ConfigMap volume with the settings, as in `LinkedFileTests`.
  private func updateVolume(_ value: Int, in directory: String) throws {
    try Shell.run(
      """
      old=$(readlink ..data || true)
      mkdir ..version\(value)
      echo '{"number": \(value)}' >..version\(value)/settings.json
      ln -s ..version\(value) ..data_tmp
      mv -T ..data_tmp ..data
      ln -sf ..data/settings.json settings.json
      test -z "$old" || rm -r "$old"
      """, in: directory)
  }

  @Test func updateOfAVolumeBelowNotifiesObservers() throws {
    let volume = try TemporaryDirectory()
    try updateVolume(1, in: volume.path)
    let store = KeyValueStore(
      LayeredBackend([
        .environment(prefix: "NOTES_", [:]), .json(URL(filePath: user.path)),
        .json(URL(filePath: volume("settings.json")), isWritable: false),
      ]), .durable, SettingsVersion(0, []), gracePeriod: .seconds(100_000))
    let number = user.number(in: store)
    let heard = HeardValues(of: number)
    for value in 2...4 {
      try updateVolume(value, in: volume.path)
      heard.wait(for: value)
    }
    #expect(heard.all == [2, 3, 4])
    number.wrappedValue = 5
    #expect(try user.values() == ["number": 5])
  }

  @Test func fileThatIsEmptiedIsIgnoredAtFirst() throws {
    try setSystem(1)
    let store = open()
    let heard = HeardValues(of: user.number(in: store))
    try system.overwrite("")
    try Shell.run("rm '\(system.path)'", in: system.directory)
    try setSystem(2)
    heard.wait(for: 2)
    #expect(heard.all == [2])
  }

  @Test func unreadableLayerKeepsTheLastValues() throws {
    try setSystem(1)
    try user.overwrite("{\"other\": 2}")
    let store = open()
    let number = user.number(in: store)
    #expect(number.wrappedValue == 1)
    try system.overwrite("<plist")
    let error = try #require(
      #expect(throws: KeyValueStoreError.self) { try store.load() })
    guard case .unreadable(let file) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(file.place.path == system.path)
    #expect(number.wrappedValue == 1 && number.error == error)
    // Only the writable file is moved aside.
    #expect(throws: error) { try store.moveAsideUnreadableFile() }
    try Shell.run("rm '\(system.path)'", in: system.directory)
    try setSystem(5)
    #expect(try number.load() == 5)
  }

  @Test func mistakeHasThePlaceOfItsLayer() throws {
    try user.overwrite("{\n  \"server\": {\"port\": \"x\"}\n}")
    try system.overwrite(
      """
      <plist version="1.0"><dict>
      <key>server</key><dict>
      <key>host</key><integer>5</integer>
      </dict>
      </dict></plist>
      """)
    func place(_ variables: [String: String]) throws -> UndecodableValue? {
      let store = open([.environment(prefix: "NOTES_", variables)])
      let server = StoredValue(wrappedValue: Server(), "server", in: store)
      #expect(server.wrappedValue == Server())
      guard case .undecodable(let value)? = server.error else { return nil }
      return value
    }
    let ofSystem = try place([:])
    #expect(ofSystem?.keyPath == "server.host" && ofSystem?.found == "5")
    #expect(ofSystem?.place == FilePlace(path: system.path, line: 3, column: 16))
    #expect(ofSystem?.source == .file(path: system.path))
    let ofUser = try place(["NOTES_SERVER__HOST": "h"])
    #expect(ofUser?.keyPath == "server.port" && ofUser?.found == "\"x\"")
    #expect(ofUser?.place == FilePlace(path: user.path, line: 2, column: 22))
    let ofVariable = try place(["NOTES_SERVER__HOST": "h", "NOTES_SERVER__PORT": "y"])
    #expect(
      ofVariable?.description
        == "NOTES_SERVER__PORT: server.port is \"y\", expected a number")
  }

  @Test func unknownKeyHasThePlaceOfItsFile() throws {
    try user.overwrite("{\n  \"levle\": 1\n}")
    try setSystem(1, for: "zebra")
    let store = open()
    _ = StoredValue(wrappedValue: 0, "level", in: store)
    let keys = try store.unknownKeys
    #expect(keys.map(\.key) == ["levle", "zebra"])
    #expect(keys.map { $0.place?.path } == [user.path, system.path])
    #expect(keys[0].place?.line == 2)
  }

  @Test func setOfAnotherProcessIsKept() throws {
    let (store, other) = (open(), open())
    try store.set(1, for: "a")
    try other.set(2, for: "b")
    try store.transaction {
      let b = StoredValue(wrappedValue: 0, "b", in: store)
      #expect(b.wrappedValue == 2)
      b.wrappedValue += 1
    }
    #expect(try user.values() == ["a": 1, "b": 3])
    #expect(try system.values() == [:])
  }
}

/// Files that cannot be written.
struct ReadOnlyFileTests {
  @Test(.enabled(if: MountedDirectory.isPossible, "Only root can mount a small file system."))
  func readOnlyFileSystemHasAnErrorOfItsOwn() throws {
    let directory = try TestFile()
    let mount = try MountedDirectory("\(directory.directory)/mount", "size=256k")
    let file = URL(filePath: "\(mount.path)/settings.json")
    try KeyValueStore(json: file).set(1, for: "number")
    try mount.remount(readOnly: true)
    let number = directory.number(in: KeyValueStore(json: file))
    let error = #expect(throws: KeyValueStoreError.self) { try number.save(2) }
    #expect(error.map(isReadOnly) == true)
    number.wrappedValue = 2
    #expect(number.error.map(isReadOnly) == true)
    #expect(number.error?.description.contains("(errno \(EROFS))") == true)
    try mount.remount(readOnly: false)
    try number.store.synchronize()
    #expect(number.error == nil)
  }

  @Test func forbiddenDirectoryHasAnErrorOfItsOwn() throws {
    let file = try TestFile(values: ["number": 1])
    let lock = "\(file.directory)/.settings.json.lock"
    let outage = Outage(of: .open, on: lock, code: EACCES)
    let number = file.number(in: file.open(.durable, outage.fileSystem))
    let error = KeyValueStoreError.readOnly(path: lock, .refused(call: "open", code: EACCES))
    #expect(throws: error) { try number.save(2) }
    #expect(number.wrappedValue == 1)
  }

  private func isReadOnly(_ error: KeyValueStoreError) -> Bool {
    if case .readOnly(_, .refused(_, EROFS)) = error { true } else { false }
  }
}
