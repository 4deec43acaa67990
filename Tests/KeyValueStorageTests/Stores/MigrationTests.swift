import Concurrency
import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

struct MigrationTests {
  private struct Refusal: Error {}

  private let toTwo = KeyValueMigration(to: 2) { settings in
    settings.rename("colour", to: "color")
  }

  private let toThree = KeyValueMigration(to: 3) { settings in
    let width = try settings.value(of: "width", as: Int.self) ?? 80
    try settings.set(Window(width: width, title: nil), for: "window")
    settings.remove("width")
  }

  private func old(_ format: KeyValueFormat) throws -> TestFile {
    let file = try TestFile(format)
    let store = file.open()
    try store.set("red", for: "colour")
    try store.set(100, for: "width")
    return file
  }

  @Test(arguments: KeyValueFormat.allCases)
  func missingMigrationsRunOnce(_ format: KeyValueFormat) throws {
    let file = try old(format)
    let runs = Lock(0)
    let counting = KeyValueMigration(to: 3) { [toThree] settings in
      runs.withLock { $0 += 1 }
      try toThree.migrate(&settings)
    }
    for _ in 0..<3 {
      // A child process that another test has just forked may hold the lock. The file is then left
      // for the next read, which migrates again.
      let isMigrated = try file.open().value(of: "$version") == 3
      let count = runs.withLock { $0 }
      let store = file.open(version: 3, [toTwo, counting])
      #expect(StoredValue("color", in: store).wrappedValue == "red")
      let isWritten = try file.open().value(of: "$version") == 3
      #expect(try store.value(of: "window") == Window(width: 100, title: nil))
      #expect(try store.keys() == ["color", "window"])
      let added = runs.withLock { $0 } - count
      #expect(isMigrated ? added == 0 : isWritten ? added == 1 : added >= 1)
    }
    #expect(try file.open().value(of: "$version") == 3)
  }

  @Test func failedMigrationChangesNothing() throws {
    let file = try old(.json)
    let text = try file.text
    let store = file.open(version: 3, [toTwo, KeyValueMigration(to: 3) { _ in throw Refusal() }])
    let color = StoredValue<String?>("color", in: store)
    #expect(color.wrappedValue == nil)
    #expect(color.error == .migrationFailed(store: file.path, version: 3, reason: "Refusal()"))
    #expect(throws: KeyValueStoreError.self) { try color.save("blue") }
    #expect(try file.text == text)
  }

  @Test func newSettingsAreOfTheNewestVersion() throws {
    let file = try TestFile()
    let store = file.open(version: 3, [toTwo, KeyValueMigration(to: 3) { _ in throw Refusal() }])
    #expect(try store.keys() == [])
    try store.set(1, for: "a")
    #expect(try file.text == "{\n  \"$version\": 3,\n  \"a\": 1\n}\n")
  }

  @Test func versionIsNoKeyOfTheApp() throws {
    let file = try TestFile()
    try file.overwrite(#"{"$version": 1, "colour": "red"}"#)
    let seen = Lock([String]())
    let store = file.open(
      version: 2, [KeyValueMigration(to: 2) { settings in seen.withLock { $0 = settings.keys } }])
    let heard = Heard<String>()
    let observation = store.observe { heard.hear($0) }
    #expect(seen.withLock { $0 } == ["colour"])
    try store.remove("colour")
    #expect(heard.wait(for: "colour"))
    try file.overwrite("{}")
    try store.set("red", for: "color")
    #expect(heard.wait(for: "color"))
    #expect(heard.all == ["colour", "color"])
    #expect(try store.keys() == ["color"])
    #expect(try file.open().keys() == ["$version", "color"])
    observation.cancel()
  }

  @Test func settingsOfANewerVersionAreLeftAlone() throws {
    let file = try TestFile()
    try file.overwrite(#"{"$version": 9, "color": "red"}"#)
    let store = file.open(version: 3, [toTwo, toThree])
    let color = StoredValue<String?>("color", in: store)
    #expect(color.wrappedValue == nil)
    #expect(color.error == .newerVersion(store: file.path, found: 9, supported: 3))
    #expect(throws: KeyValueStoreError.newerVersion(store: file.path, found: 9, supported: 3)) {
      try color.save("blue")
    }
    #expect(try file.text == #"{"$version": 9, "color": "red"}"#)
  }

  @Test func settingsThatAnotherProgramPutsBackAreMigratedAgain() throws {
    let file = try old(.json)
    let store = file.open(version: 2, [toTwo])
    let color = StoredValue<String?>("color", in: store)
    #expect(color.wrappedValue == "red")
    try file.overwrite(#"{"colour": "green"}"#)
    #expect(try color.load() == "green")
  }

  @Test func abandonedTransactionDoesNotShowWhatIsNotMigrated() throws {
    let file = try old(.json)
    let store = file.open(version: 2, [toTwo])
    let color = StoredValue<String?>("color", in: store)
    #expect(color.wrappedValue == "red")
    try file.overwrite(#"{"colour": "green"}"#)
    #expect(throws: Refusal.self) {
      try store.transaction {
        #expect(color.wrappedValue == "green")
        throw Refusal()
      }
    }
    #expect(try store.value(of: "colour", as: String.self) == nil)
    #expect(color.wrappedValue == "green")
  }

  @Test func migrationsOutOfOrderAreRefused() async {
    await #expect(processExitsWith: .failure) {
      _ = KeyValueStore(
        MemoryBackend(), version: 3,
        migrations: [KeyValueMigration(to: 3) { _ in }, KeyValueMigration(to: 2) { _ in }])
    }
  }
}
