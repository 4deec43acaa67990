import Foundation
import KeyValueStorage
import TestSupport
import Testing

@testable import KeychainCompatibility

struct DefaultsMigrationTests {
  private let directory: TemporaryDirectory
  private let store: KeyValueStore
  private let person = Person(age: 15, name: "Peter")

  init() throws {
    directory = try TemporaryDirectory()
    store = KeyValueStore(json: directory.url.appending(path: "settings.json"))
    // As Foundation's `UserDefaults` writes its file, with what 1.x gave it.
    let values: [String: Any] = [
      "person": try PropertyListEncoder().encode(person),
      "list": try PropertyListEncoder().encode([1, 2]),
      "number": 250,
      "text": "Eliska",
      "bytes": Data([1, 2, 3]),
      "other": try PropertyListEncoder().encode(["a": 1]),
    ]
    try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
      .write(to: URL(filePath: source))
  }

  private var source: String { directory("app.plist") }

  private func migration(in store: KeyValueStore) -> DefaultsMigration {
    var migration = DefaultsMigration(into: store)
    migration.convert("person", as: Person.self)
    migration.convert("list", as: [Int].self)
    migration.convert("number", as: Int.self)
    migration.convert("bytes", as: Data.self)
    migration.convert("absent", as: [Int].self)
    migration.convert("other", as: Person.self)
    return migration
  }

  @Test func whatWasCodedIsStoredAsStoredValueStoresIt() throws {
    let before = try content(of: source)
    let plan = try migration(in: store).run(propertyList: source, isDryRun: true)
    #expect(try store.keys() == [])

    let report = try migration(in: store).run(propertyList: source, isDryRun: false)
    #expect(report == plan)
    #expect(report.imported.imported == ["bytes", "list", "number", "other", "person", "text"])
    #expect(report.keys(.converted) == ["person", "list"])
    #expect(report.keys(.native) == ["number", "bytes"])
    #expect(report.keys(.absent) == ["absent"])
    #expect(
      report.keys(.refused("It is not a property list of the type Person.")) == ["other"])

    let other = KeyValueStore(json: directory.url.appending(path: "settings.json"))
    #expect(StoredValue<Person?>("person", in: other).wrappedValue == person)
    #expect(StoredValue<[Int]?>("list", in: other).wrappedValue == [1, 2])
    #expect(StoredValue<Int?>("number", in: other).wrappedValue == 250)
    #expect(StoredValue<String?>("text", in: other).wrappedValue == "Eliska")
    #expect(StoredValue<Data?>("bytes", in: other).wrappedValue == Data([1, 2, 3]))
    #expect(try content(of: source) == before)
  }

  @Test func secondRunFindsNothingToDo() throws {
    try migration(in: store).run(propertyList: source, isDryRun: false)
    let before = try content(of: directory("settings.json"))
    let report = try migration(in: store).run(propertyList: source, isDryRun: false)
    #expect(report.keys(.converted) == [])
    #expect(report.keys(.native) == ["person", "list", "number", "bytes"])
    #expect(try content(of: directory("settings.json")) == before)
  }

  @Test func runThatEndedAfterTheImportIsFinishedByTheNext() throws {
    _ = try store.import(propertyList: source, dryRun: false)
    let report = try migration(in: store).run(propertyList: source, isDryRun: false)
    #expect(report.imported.unchanged == ["bytes", "list", "number", "other", "person", "text"])
    #expect(report.keys(.converted) == ["person", "list"])
    #expect(StoredValue<Person?>("person", in: store).wrappedValue == person)
  }

  @Test func keyOfTheStoreKeepsItsValue() throws {
    let mine = Person(age: 30, name: "mine")
    try store.set(mine, for: "person")
    try store.set("a text", for: "list")
    let plan = try migration(in: store).run(propertyList: source, isDryRun: true)
    let report = try migration(in: store).run(propertyList: source, isDryRun: false)
    #expect(report == plan)
    #expect(report.imported.kept == ["list", "person"])
    #expect(report.entries.first == .init(key: "person", outcome: .native))
    #expect(report.keys(.refused("It is not of the type Array<Int>.")) == ["list"])
    #expect(try store.value(of: "person") == mine)
    #expect(try store.value(of: "list") == "a text")
  }

  @Test func withoutAFileThereIsNothingToImport() throws {
    let report = try migration(in: store).run(propertyList: directory("none"), isDryRun: false)
    #expect(report.imported.imported == [] && report.keys(.absent).count == 6)
    #expect(try store.keys() == [])
  }

  @Test func damagedFileChangesNothing() throws {
    let whole = try content(of: source)
    for count in stride(from: 1, to: whole.count - 10, by: 37) {
      try Data(whole[..<count]).write(to: URL(filePath: source))
      #expect(throws: KeyValueStoreError.self) {
        try migration(in: store).run(propertyList: source, isDryRun: false)
      }
    }
    #expect(try store.keys() == [])
  }
}
