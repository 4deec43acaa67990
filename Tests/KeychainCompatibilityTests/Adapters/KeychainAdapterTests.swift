import FoundationEssentials
import KeychainCompatibility
import SecretStorage
import TestSupport
import Testing

@available(*, deprecated)
private struct Declarations {
  @KeychainStore(key: "tester.number") var number: Int?
  @KeychainStore(key: "tester.number") var collection: [Int]?
  @KeychainStore(
    key: "person",
    storageAdapter: CodableKeychainAdapter(
      serviceIdentifier: "com.example.app", biometricAuthRequired: false))
  var person: Person?
}

@Suite(.expectsFailures)
struct KeychainAdapterTests: DeprecatedUse {
  enum Fact: CaseIterable, Sendable {
    case propertiesAreReadByEachDeclarationOfTheKey
    case valuesAreJSONUnderTheKeyAsAccount
    case defaultDomainIsNamedAfterTheApp
    case bytesAreStoredAsTheyAre
    case allItemsOfTheServiceAreLoadedTheOldestFirst
    case whatIsNotThereIsNotFound
    case whatIsNotJSONOfTheTypeIsUnexpected
    case codersOfTheAppAreUsed
    case savingKeepsTheAttributesThatOthersSet
    case whatCouldNotBeStoredIsWhatThePropertyGives
  }

  @Test(arguments: Fact.allCases)
  func holds(_ fact: Fact) throws { try check(fact) }

  private let store = InMemorySecretStore()
}

@available(*, deprecated)
extension KeychainAdapterTests {
  func verify(_ fact: Fact) throws {
    switch fact {
    case .propertiesAreReadByEachDeclarationOfTheKey:
      try propertiesAreReadByEachDeclarationOfTheKey()
    case .valuesAreJSONUnderTheKeyAsAccount: try valuesAreJSONUnderTheKeyAsAccount()
    case .defaultDomainIsNamedAfterTheApp: try defaultDomainIsNamedAfterTheApp()
    case .bytesAreStoredAsTheyAre: try bytesAreStoredAsTheyAre()
    case .allItemsOfTheServiceAreLoadedTheOldestFirst:
      try allItemsOfTheServiceAreLoadedTheOldestFirst()
    case .whatIsNotThereIsNotFound: try whatIsNotThereIsNotFound()
    case .whatIsNotJSONOfTheTypeIsUnexpected: try whatIsNotJSONOfTheTypeIsUnexpected()
    case .codersOfTheAppAreUsed: try codersOfTheAppAreUsed()
    case .savingKeepsTheAttributesThatOthersSet: try savingKeepsTheAttributesThatOthersSet()
    case .whatCouldNotBeStoredIsWhatThePropertyGives:
      try whatCouldNotBeStoredIsWhatThePropertyGives()
    }
  }

  private var adapter: CodableKeychainAdapter {
    CodableKeychainAdapter(serviceIdentifier: "service", biometricAuthRequired: false)
  }

  private func withStore<Result>(_ body: () throws -> Result) rethrows -> Result {
    try SecretStores.withDefaultStore(store, operation: body)
  }

  private func propertiesAreReadByEachDeclarationOfTheKey() throws {
    try withStore {
      let tester = Declarations()
      let other = Declarations()
      #expect(tester.number == nil)
      tester.number = 15
      #expect(other.number == 15)
      other.number = 30
      #expect(tester.number == 30)

      tester.collection = [10, 20, 30]
      other.collection?[1] = 50
      #expect(tester.collection == [10, 50, 30])
      // The item of both holds no number.
      #expect(tester.number == nil)

      try CodableKeychainAdapter.defaultDomain.deleteAll()
      #expect(tester.collection == nil)
      tester.number = 15
      tester.number = nil
      #expect(try store.names() == [])
    }
  }

  private func valuesAreJSONUnderTheKeyAsAccount() throws {
    try withStore {
      Declarations().person = Person(age: 15, name: "Peter")
      #expect(Declarations().person == Person(age: 15, name: "Peter"))
      let text = try #require(try store.text("com.example.app", "person"))
      #expect(
        try JSONDecoder().decode(Person.self, from: Data(text.utf8))
          == Person(age: 15, name: "Peter"))
      try adapter.save(value: "text", for: "text")
      #expect(try store.text("service", "text") == "\"text\"")
      try adapter.save(value: 15, for: "number")
      #expect(try store.text("service", "number") == "15")
    }
  }

  private func defaultDomainIsNamedAfterTheApp() throws {
    try withStore {
      Declarations().number = 1
      let name = try #require(CodableKeychainAdapter.bundleIdentifier)
      #expect(try store.names() == ["\(name).securedomain.default/tester.number"])
      #expect(try store.text("\(name).securedomain.default", "tester.number") == "1")
    }
  }

  private func bytesAreStoredAsTheyAre() throws {
    try withStore {
      try adapter.save(value: Data([1, 2, 255]), for: "bytes")
      #expect(try store.bytes("service", "bytes") == [1, 2, 255])
      let loaded: Data = try adapter.load(for: "bytes")
      #expect(loaded == Data([1, 2, 255]))
    }
  }

  private func allItemsOfTheServiceAreLoadedTheOldestFirst() throws {
    try withStore {
      #expect(throws: KeychainError.self) { try adapter.loadAll() }
      try adapter.save(value: 1, for: "one")
      try adapter.save(value: 2, for: "two")
      try adapter.save(value: 3, for: "one")
      try store.add(json: "4", "other", "four")
      let all = try adapter.loadAll()
      #expect(all.map(\.0) == ["one", "two"])
      #expect(all.map(\.1) == [Data("3".utf8), Data("2".utf8)])
      try adapter.deleteAll()
      try adapter.deleteAll()
      #expect(try store.names() == ["other/four"])
    }
  }

  private func whatIsNotThereIsNotFound() throws {
    withStore {
      do {
        let _: Int = try adapter.load(for: "absent")
        Issue.record("Something was found.")
      } catch KeychainError.itemNotFound {
        // Expected.
      } catch {
        Issue.record(error)
      }
    }
    try withStore { try adapter.delete(for: "absent") }
  }

  private func whatIsNotJSONOfTheTypeIsUnexpected() throws {
    try store.add(json: "secret text", "service", "text")
    withStore {
      do {
        let _: String = try adapter.load(for: "text")
        Issue.record("Something was decoded.")
      } catch KeychainError.unexpectedData {
        // Expected.
      } catch {
        Issue.record(error)
      }
    }
  }

  private func codersOfTheAppAreUsed() throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let adapter = CodableKeychainAdapter(
      serviceIdentifier: "service", biometricAuthRequired: false, jsonEncoder: encoder,
      jsonDecoder: decoder)
    let date = Date(timeIntervalSince1970: 1_600_000_000)
    try withStore {
      try adapter.save(value: date, for: "date")
      #expect(try store.text("service", "date") == "\"2020-09-13T12:26:40Z\"")
      let loaded: Date = try adapter.load(for: "date")
      #expect(loaded == date)
    }
  }

  private func savingKeepsTheAttributesThatOthersSet() throws {
    try withStore {
      try adapter.save(value: 1, for: "one")
      let identity = ItemIdentity.generic(service: "service", account: "one")
      let item = try #require(store.items(matching: .exactly(identity)).first)
      _ = try store.update(
        item.id, expecting: item.revision, attributes: ItemAttributes(label: "label"), secret: nil)
      try adapter.save(value: 2, for: "one")
      let saved = try #require(store.items(matching: .exactly(identity)).first)
      #expect(saved.attributes.label == "label" && saved.id == item.id)
    }
  }

  private func whatCouldNotBeStoredIsWhatThePropertyGives() throws {
    let refusing = CodableKeychainAdapter(serviceIdentifier: "service", biometricAuthRequired: true)
    let one = KeychainStore<Int>(key: "key", storageAdapter: refusing)
    withStore {
      one.wrappedValue = 5
      #expect(one.wrappedValue == 5)
      #expect(KeychainStore<Int>(key: "key", storageAdapter: refusing).wrappedValue == nil)
      one.wrappedValue = nil
      #expect(one.wrappedValue == nil)
    }
    #expect(try store.names() == [])
  }
}
