import FoundationEssentials
import KeyValueStorage
import KeychainCompatibility
import SecretStorage
import Testing

/// The code of the page about settings, subjects and adapters.
struct OlderNamesSnippets {
  private struct Person: Codable, Equatable {
    var age: Int
    var name: String
  }

  @Test func settingsAreConverted() throws {
    let store = KeyValueStore()
    // What an import of a file would have left there.
    try store.set(try PropertyListEncoder().encode([1, 2]), for: "scores")

    var migration = DefaultsMigration(into: store)
    migration.convert("person", as: Person.self)
    migration.convert("scores", as: [Int].self)
    let plan = try migration.run(userDefaults: "com.example.app", isDryRun: true)
    print("\(plan.keys(.converted)) would be converted.")
    try migration.run(userDefaults: "com.example.app")

    #expect(plan.keys(.converted) == ["scores"])
    #expect(StoredValue<[Int]?>("scores", in: store).wrappedValue == [1, 2])
  }

  @Test func itemsAreConverted() throws {
    let store = InMemorySecretStore()
    let items = [
      "token": #""abc""#, "person": #"{"name":"Peter","age":15}"#, "b": "1",
    ]
    for (key, json) in items {
      _ = try store.add(
        Secret(json.utf8), identity: .generic(service: "com.example.app", account: key),
        attributes: ItemAttributes())
    }
    try SecretStorage.withDefaultStore(store) {
      var migration = AdapterMigration(serviceIdentifier: "com.example.app")
      migration.convert("token", as: String.self)
      migration.convert("person", as: Person.self)
      let report = try migration.run()
      print(
        "\(report.keys(.converted)) were converted, \(report.keys(.undeclared)) are not declared.")

      #expect(report.keys(.converted) == ["token", "person"])
      #expect(report.keys(.undeclared) == ["b"])
      let token = PasswordItem<String>(.generic(service: "com.example.app", account: "token"))
      #expect(token.value == "abc")
    }
  }
}
