import CLibrary
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

#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
@Suite(.expectsFailures, .inMemory)
struct KeychainAdapterTests {
  private var store: any SecretStore { SecretStores.defaultStore }

  private var adapter: CodableKeychainAdapter {
    CodableKeychainAdapter(serviceIdentifier: "service", biometricAuthRequired: false)
  }

  @Test func failureAfterASuccessIsPrintedAgain() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      inMemory {
        let text = KeychainStore<String>(key: "key")
        let number = KeychainStore<Int>(key: "key")
        for _ in 1...2 {
          text.wrappedValue = "words"
          #expect(number.wrappedValue == nil && number.wrappedValue == nil)
          number.wrappedValue = 1
          #expect(number.wrappedValue == 1)
        }
      }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.split(separator: "\n").count { $0.contains("could not be read") } == 2, "\(text)")
  }

  @Test func declarationsOfOneKeyShareAnItem() throws {
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

  @Test func valuesAreJSONWithTheKeyAsAccount() throws {
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

  @Test func defaultDomainHasTheNameOfTheApp() throws {
    Declarations().number = 1
    let name = try #require(CodableKeychainAdapter.bundleIdentifier)
    #expect(try store.names() == ["\(name).securedomain.default/tester.number"])
    #expect(try store.text("\(name).securedomain.default", "tester.number") == "1")
    let number: Int = try CodableKeychainAdapter.defaultDomain.load(for: "tester.number")
    #expect(number == 1)
  }

  @Test func bytesAreStoredUnchanged() throws {
    try adapter.save(value: Data([1, 2, 255]), for: "bytes")
    #expect(try store.bytes("service", "bytes") == [1, 2, 255])
    let loaded: Data = try adapter.load(for: "bytes")
    #expect(loaded == Data([1, 2, 255]))
  }

  @Test func loadAllReturnsTheOldestItemFirst() throws {
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

  @Test func absentItemIsNotFound() throws {
    #expect(thrownError { try adapter.load(for: "absent") as Int } == "osSecureNoSuchItem")
    try adapter.delete(for: "absent")
  }

  @Test func undecodableJSONIsAnError() throws {
    try store.add(json: "secret text", "service", "text")
    #expect(thrownError { try adapter.load(for: "text") as String } == "generalDecodingFailure")
  }

  @Test func givenCodersAreUsed() throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let adapter = CodableKeychainAdapter(
      serviceIdentifier: "service", biometricAuthRequired: false, jsonEncoder: encoder,
      jsonDecoder: decoder)
    let date = Date(timeIntervalSince1970: 1_600_000_000)
    try adapter.save(value: date, for: "date")
    #expect(try store.text("service", "date") == "\"2020-09-13T12:26:40Z\"")
    let loaded: Date = try adapter.load(for: "date")
    #expect(loaded == date)
  }

  @Test func saveKeepsTheAttributes() throws {
    try adapter.save(value: 1, for: "one")
    let identity = ItemIdentity.generic(service: "service", account: "one")
    let item = try #require(store.items(matching: .exactly(identity)).first)
    _ = try store.update(
      item.id, expecting: item.revision, attributes: ItemAttributes(label: "label"), secret: nil)
    try adapter.save(value: 2, for: "one")
    let saved = try #require(store.items(matching: .exactly(identity)).first)
    #expect(saved.attributes.label == "label" && saved.id == item.id)
  }

  @Test func propertyKeepsAnUnsavedValue() throws {
    let refusing = CodableKeychainAdapter(serviceIdentifier: "service", biometricAuthRequired: true)
    let one = KeychainStore<Int>(key: "key", storageAdapter: refusing)
    one.wrappedValue = 5
    #expect(one.wrappedValue == 5)
    #expect(KeychainStore<Int>(key: "key", storageAdapter: refusing).wrappedValue == nil)
    one.wrappedValue = nil
    #expect(one.wrappedValue == nil)
    #expect(try store.names() == [])
  }

  /// An adapter in memory, as tests of apps have.
  private final class Memory: JSONCodedKeyValueSecureStorageAdapter {
    let jsonEncoder = JSONEncoder()
    let jsonDecoder = JSONDecoder()
    var values: [String: Data] = [:]
    var isFull = false

    func load(for key: String) throws -> Data {
      guard let value = values[key] else { throw KeychainError.itemNotFound }
      return value
    }
    func loadAll() throws -> [(String, Data)] { values.map { ($0.key, $0.value) } }
    func save(value: Data, for key: String) throws {
      if isFull { throw KeychainError.osSecureDiskFull }
      values[key] = value
    }
    func deleteAll() throws { values = [:] }
    func delete(for key: String) throws { values[key] = nil }
  }

  @Test func elementUsesTheGivenAdapter() throws {
    let memory = Memory()
    let element = CodableKeychainElement<Person>(storageAdapter: memory, key: "person")
    #expect(element.wrappedValue == nil)
    element.wrappedValue = Person(age: 15, name: "Peter")
    #expect(element.wrappedValue == Person(age: 15, name: "Peter"))
    #expect(try memory.loadAll().map(\.0) == ["person"])
    element.wrappedValue = nil
    #expect(memory.values.isEmpty)
  }

  @Test(.forks) func elementIsNilInAForkedChild() async {
    await #expect(processExitsWith: .success) {
      let element = CodableKeychainElement<Int>(storageAdapter: Memory(), key: "number")
      element.wrappedValue = 5
      let child = try ForkedChild(isQuiet: true) {
        element.wrappedValue = 6
        if element.wrappedValue != nil { _exit(1) }
      }
      try child.wait()
      if element.wrappedValue != 5 { _exit(2) }
    }
  }

  @Test func elementAndKeychainStoreShareAnItem() {
    struct Declarations {
      @CodableKeychainElement(
        storageAdapter: CodableKeychainAdapter(
          serviceIdentifier: "service", biometricAuthRequired: false), key: "number")
      var number: Int?
    }
    Declarations().number = 5
    #expect(Declarations().number == 5)
    let adapter = CodableKeychainAdapter(
      serviceIdentifier: "service", biometricAuthRequired: false)
    #expect(KeychainStore<Int>(key: "number", storageAdapter: adapter).wrappedValue == 5)
    Declarations().number = nil
    #expect(Declarations().number == nil)
  }

  @Test func failingAdapterKeepsTheValue() {
    let memory = Memory()
    let element = CodableKeychainElement<Int>(storageAdapter: memory, key: "number")
    element.wrappedValue = 5
    memory.isFull = true
    element.wrappedValue = 6
    #expect(element.wrappedValue == 5)
    memory.values["number"] = Data("text".utf8)
    #expect(element.wrappedValue == nil)
  }
}
