import FoundationEssentials
import KeychainCompatibility
import StorageInternals
import TestSupport
import Testing

struct AdapterMigrationTests {
  private let store = InMemorySecretStore()

  private func migration(_ declare: (inout AdapterMigration) -> Void = { _ in }) -> AdapterMigration
  {
    var migration = AdapterMigration(serviceIdentifier: "service", in: store)
    declare(&migration)
    return migration
  }

  private func expectConverted<Value: Codable & Sendable & Equatable>(
    _ json: String, to value: Value
  ) throws {
    let store = InMemorySecretStore()
    try store.add(json: json, "service", "key")
    var migration = AdapterMigration(serviceIdentifier: "service", in: store)
    migration.convert("key", as: Value.self)
    #expect(try migration.run().keys(.converted) == ["key"], "\(json)")
    let password = PasswordItem<Value>(.generic(service: "service", account: "key"), in: store)
    #expect(password.value == value, "\(json)")
    #expect(try store.names() == ["service/key", "service.migration/-"])
    #expect(try migration.run().keys(.identical) == ["key"])
    #expect(password.value == value)
  }

  @Test func valuesOfAllKindsAreConverted() throws {
    let values: [(String, any Codable & Sendable & Equatable)] = [
      ("15", 15), ("12345678", 12_345_678), ("-5", Int8(-5)), ("true", true), ("0.5", 0.5),
      (#""The Valley Wind""#, "The Valley Wind"),
      // Values that are JSON again after the conversion.
      (#""\"twice\"""#, #""twice""#), (#""15""#, "15"), (#""AQL/""#, Data([1, 2, 255])),
      (#""IkFRTC8i""#, Data(#""AQL/""#.utf8)),
      (#""https:\/\/example.com\/a""#, URL(string: "https://example.com/a")!),
      ("[1,2,3]", [1, 2, 3]), ("[1,2,3]", Set([1, 2, 3])), (#"{"a":[true]}"#, ["a": [true]]),
      (#"{"name":"Peter","age":15}"#, Person(age: 15, name: "Peter")),
    ]
    for (json, value) in values { try expectConverted(json, to: value) }
  }

  @Test func givenDecoderIsUsed() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    try store.add(json: #""2020-09-13T12:26:40Z""#, "service", "date")
    var migration = AdapterMigration(serviceIdentifier: "service", jsonDecoder: decoder, in: store)
    migration.convert("date", as: Date.self)
    try migration.run()
    let date = PasswordItem<Date>(.generic(service: "service", account: "date"), in: store).value
    #expect(date == Date(timeIntervalSince1970: 1_600_000_000))
  }

  @Test func dryRunReportsThePlanAndChangesNothing() throws {
    try store.add(json: "15", "service", "number")
    try store.add(json: #""text""#, "service", "wrong")
    try store.add(json: "1", "service", "forgotten")
    let migration = migration {
      $0.convert("number", as: Int.self)
      $0.convert("wrong", as: Int.self)
      $0.convert("absent", as: Int.self)
    }
    let before = store.revision()
    let plan = try migration.run(isDryRun: true)
    #expect(store.revision() == before)
    #expect(plan.entries.map(\.identity.account) == ["number", "wrong", "absent", "forgotten"])
    #expect(plan.keys(.converted) == ["number"])
    #expect(plan.keys(.refused("It is not JSON of type Int.")) == ["wrong"])
    #expect(plan.keys(.absent) == ["absent"])
    #expect(plan.keys(.undeclared) == ["forgotten"])

    #expect(try migration.run() == plan)
    #expect(try store.text("service", "wrong") == #""text""#)
    #expect(try store.text("service", "forgotten") == "1")
    #expect(
      try store.names() == [
        "service/number", "service/wrong", "service/forgotten", "service.migration/-",
      ])
  }

  @Test func nativeItemsAreKept() throws {
    let text = PasswordItem<String>(.generic(service: "service", account: "text"), in: store)
    let person = PasswordItem<Person>(.generic(service: "service", account: "person"), in: store)
    text.value = "The Valley Wind"
    person.value = Person(age: 15, name: "Peter")
    let migration = migration {
      $0.convert("text", as: String.self)
      $0.convert("person", as: Person.self)
    }
    #expect(try migration.run().keys(.native) == ["text", "person"])
    #expect(text.value == "The Valley Wind")
    #expect(person.value == Person(age: 15, name: "Peter"))
  }

  @Test func convertedKeyIsNotConvertedAgain() throws {
    try store.add(json: "\"a\"", "service", "text")
    let migration = converting(["text"], in: store)
    try migration.run()
    let text = PasswordItem<String>(.generic(service: "service", account: "text"), in: store)
    text.value = nil
    text.value = "\"b\""
    #expect(try migration.run().keys(.identical) == ["text"])
    #expect(text.value == "\"b\"")
  }

  @Test func attributesAndDatesAreKept() throws {
    try store.add(json: "15", "service", "number", AccessControl(.afterFirstUnlock))
    let before = try #require(store.items(matching: .all).first)
    try migration { $0.convert("number", as: Int.self) }.run()
    let after = try #require(store.items(matching: .all).first { $0.id == before.id })
    #expect(after.attributes == before.attributes)
    #expect(after.identity == before.identity)
    #expect(after.creationDate == before.creationDate)
  }

  @Test func progressIsReportedAndCanCancel() throws {
    for key in ["a", "b", "c"] { try store.add(json: "1", "service", key) }
    let migration = migration { migration in
      for key in ["a", "b", "c"] { migration.convert(key, as: Int.self) }
    }
    var told: [Int] = []
    #expect(throws: SecretStoreError.cancelled) {
      try migration.run { progress in
        told.append(progress.completed)
        #expect(progress.total == 3)
        return progress.completed == 2 ? .cancel : .proceed
      }
    }
    #expect(told == [0, 1, 2])
    #expect(try store.text("service", "c") == "1")
    let report = try migration.run()
    #expect(report.keys(.identical) == ["a", "b"] && report.keys(.converted) == ["c"])
  }

  @Test func defaultDomainOfTheDefaultStoreIsConverted() throws {
    let service = "\(try ApplicationDirectories().applicationName).securedomain.default"
    try store.add(json: "15", service, "number")
    var migration = AdapterMigration()
    migration.convert("number", as: Int.self)
    let report = try SecretStores.withDefaultStore(store) { try migration.run() }
    #expect(report.keys(.converted) == ["number"])
  }

  @Test func severalMigrationsAtOnceConvertOnce() throws {
    for round in 0..<Campaign.size(sample: 20, full: 1000) {
      let store = InMemorySecretStore()
      let text = #""\"twice\"""#
      try store.add(json: text, "service", "text")
      let migration = converting(["text"], in: store)
      try onThreads(8) { _ in try migration.run() }
      #expect(try store.text("service", "text") == #""twice""#, "round \(round)")
      #expect(try store.names() == ["service/text", "service.migration/-"])
    }
  }
}
