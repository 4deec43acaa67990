import FoundationEssentials
import KeyValueStorage
import KeychainCompatibility
import SecretStorage
import TestSupport
import Testing

/// The code of the page on settings, subjects and adapters.
final class OlderNamesSnippets: DirectoryTests {
  private struct Person: Codable, Equatable {
    var age: Int
    var name: String
  }

  @Test func settingsAreConverted() throws {
    let store = KeyValueStore()
    // The same value as after an import of a file.
    try store.set(try PropertyListEncoder().encode([1, 2]), for: "scores")

    var migration = DefaultsMigration(into: store)
    migration.convert("person", as: Person.self)
    migration.convert("scores", as: [Int].self)
    migration.convert("picture", as: Data.self)
    let plan = try migration.run(userDefaults: "com.example.app", isDryRun: true)
    print("\(plan.converted) would be converted, \(plan.undeclared) were forgotten.")
    try migration.run(userDefaults: "com.example.app")

    #expect(plan.converted == ["scores"])
    #expect(StoredValue<[Int]?>("scores", in: store).wrappedValue == [1, 2])
  }

  @Test func fileIsMigratedWithoutTypes() throws {
    let file = directory.url.appending(path: "app.plist")
    let values = ["scores": try PropertyListEncoder().encode([1, 2])]
    try PropertyListEncoder().encode(values).write(to: file)
    let store = KeyValueStore(json: directory.url.appending(path: "settings.json"))

    var migration = DefaultsMigration(into: store)
    migration.decodePropertyLists()
    let report = try migration.run(propertyList: file, removingSource: true) { progress in
      print("\(progress.completed) of \(progress.total)")
      return .proceed
    }
    print("\(report.decoded) were property lists, \(report.kept) stay as they were.")

    #expect(report.decoded == ["scores"] && report.isSourceRemoved)
    #expect(StoredValue<[Int]?>("scores", in: store).wrappedValue == [1, 2])
  }

  /// A store with the items of an adapter.
  private static func store(of items: [String: String]) throws -> InMemorySecretStore {
    let store = InMemorySecretStore()
    for (key, json) in items {
      _ = try store.add(
        Secret(json.utf8), identity: .generic(service: "com.example.app", account: key),
        attributes: ItemAttributes())
    }
    return store
  }

  @Test func itemsAreConverted() throws {
    let store = try Self.store(
      of: ["token": #""abc""#, "person": #"{"name":"Peter","age":15}"#, "b": "1"])
    try SecretStores.withDefaultStore(store) {
      var migration = AdapterMigration(serviceIdentifier: "com.example.app")
      migration.convert("token", as: String.self)
      migration.convert("person", as: Person.self)
      let report = try migration.run()
      print("\(report.identities(.converted).compactMap(\.account)) were converted.")
      print("\(report.identities(.undeclared).compactMap(\.account)) are not declared.")

      #expect(report.identities(.converted).map(\.account) == ["token", "person"])
      #expect(report.identities(.undeclared).map(\.account) == ["b"])
      let token = PasswordItem<String>(.generic(service: "com.example.app", account: "token"))
      #expect(token.value == "abc")
    }
  }

  @Test func itemsAreConvertedWithoutTypes() throws {
    let store = try Self.store(of: ["token": #""abcd""#, "person": #"{"born":0.5,"age":15}"#])
    try SecretStores.withDefaultStore(store) {
      var migration = AdapterMigration(serviceIdentifier: "com.example.app")
      migration.convert("token", asJSON: .string)
      migration.convert("person", asJSON: .object(["born": .date, "age": .integer]))
      for entry in try migration.run(isDryRun: true).entries {
        print(entry.identity.account ?? "", entry.outcome)
      }

      #expect(try migration.run().identities(.converted).map(\.account) == ["token", "person"])
    }
  }
}
