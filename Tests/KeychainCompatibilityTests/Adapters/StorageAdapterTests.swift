import FoundationEssentials
import KeychainCompatibility
import TestSupport
import Testing

/// The adapters and properties of 0.1.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
@Suite(.expectsFailures, .inMemory)
struct StorageAdapterTests {
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
