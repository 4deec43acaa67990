import Concurrency
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

  private let refusing = KeyValueMigration(to: 3) { _ in throw Refusal() }

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
      // Not observed: a notification of a write could make it migrate what it reads in memory.
      let backend = HookedBackend(base: FileBackend(path: file.path, format: format))
      let store = KeyValueStore(backend, version: 3, migrations: [toTwo, counting])
      #expect(StoredValue("color", in: store).wrappedValue == "red")
      #expect(try store.value(of: "window") == Window(width: 100, title: nil))
      #expect(try store.keys() == ["color", "window"])
    }
    #expect(runs.withLock { $0 } == 1)
    #expect(try file.open().value(of: "$version") == 3)
  }

  @Test(
    arguments: [
      (#"{"colour": "red", "width": 1}"#, .migrationFailed(version: 3, reason: "Refusal()")),
      (#"{"$version": 9, "color": "red"}"#, .newerVersion(found: 9, supported: 3)),
    ] as [(String, KeyValueStoreError)])
  func settingsThatCannotBeMigratedStay(_ text: String, _ error: KeyValueStoreError) throws {
    let file = try TestFile()
    try file.overwrite(text)
    let color = StoredValue<String?>("color", in: file.open(version: 3, [toTwo, refusing]))
    #expect(color.wrappedValue == nil)
    #expect(color.error == error)
    #expect(throws: error) { try color.save("blue") }
    #expect(try file.text == text)
  }

  @Test func mistakesHaveTheirPlaces() throws {
    let file = try TestFile()
    func error(in text: String) throws -> String {
      try file.overwrite(text)
      let store = file.open(version: 3, [toTwo, toThree])
      let error = try #require(throws: KeyValueStoreError.self) { try store.load() }
      #expect(throws: error) { try store.set(1, for: "number") }
      #expect(StoredValue(wrappedValue: 0, "number", in: store).error == error)
      #expect(try file.text == text)
      return error.description
    }
    #expect(
      try error(in: "{\n\"$version\": \"x\"}") == """
        \(file.path), line 2, column 13: $version is "x", expected a number. Correct the value, or set \
        it again.
        """)
    #expect(
      try error(in: "{\n  \"width\": \"wide\"}") == """
        The migration of the settings to version 3 failed, and nothing changed: \(file.path), line 2, \
        column 12: width is "wide", expected a number. Correct the value, or set it again.
        """)
  }

  /// The file does not have the value, so that the value has no line.
  @Test func mistakeInAMigratedValueHasThePathOfTheFile() throws {
    let file = try TestFile()
    try file.overwrite("{\"a\": 1}")
    let store = file.open(
      version: 1,
      [
        KeyValueMigration(to: 1) { settings in
          try settings.set("x", for: "a")
          _ = try settings.value(of: "a", as: Int.self)
        }
      ])
    let error = try #require(throws: KeyValueStoreError.self) { try store.load() }
    #expect(error.description.contains(": \(file.path): a is \"x\", expected a number"))
  }

  @Test func newSettingsHaveTheNewestVersion() throws {
    let file = try TestFile()
    let store = file.open(version: 3, [toTwo, refusing])
    #expect(try store.keys() == [])
    try store.set(1, for: "a")
    #expect(try file.text == "{\n  \"$version\": 3,\n  \"a\": 1\n}\n")
  }

  @Test func otherValuesKeepTheirBytes() throws {
    let file = try TestFile()
    try file.overwrite("{\n    \"colour\": [\n 1,\n2 ],\n    \"a\": 1\n}\n")
    let color = StoredValue<[Int]?>("color", in: file.open(version: 2, [toTwo]))
    #expect(color.wrappedValue == [1, 2])
    #expect(
      try file.text
        == "{\n    \"a\": 1,\n    \"color\": [\n 1,\n2 ],\n    \"$version\": 2\n}\n")
    try file.overwrite("{\"$version\": 2.0, \"a\": 1}")
    try file.open(version: 2).set(2, for: "a")
    #expect(try file.text == "{\"$version\": 2.0, \"a\": 2}")
  }

  @Test func versionKeyIsHidden() throws {
    let file = try TestFile()
    try file.overwrite(#"{"$version": 1, "colour": "red"}"#)
    let seen = Lock([String]())
    let store = file.open(
      version: 2, [KeyValueMigration(to: 2) { settings in seen.withLock { $0 = settings.keys } }])
    let heard = Heard<String>()
    let observation = store.observe { heard.hear($0) }
    #expect(seen.withLock { $0 } == ["colour"])
    try store.remove("colour")
    heard.wait(for: "colour")
    try file.overwrite("{}")
    try store.set("red", for: "color")
    heard.wait(for: "color")
    #expect(heard.all == ["colour", "color"])
    #expect(try store.keys() == ["color"])
    #expect(try file.open().keys() == ["$version", "color"])
    observation.cancel()
  }

  @Test func restoredOldSettingsAreMigratedAgain() throws {
    let file = try old(.json)
    let color = StoredValue<String?>("color", in: file.open(version: 2, [toTwo]))
    #expect(color.wrappedValue == "red")
    try file.overwrite(#"{"colour": "green"}"#)
    #expect(try color.load() == "green")
  }

  @Test func abandonedTransactionShowsMigratedValues() throws {
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
