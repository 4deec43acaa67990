import FoundationEssentials
import KeychainCompatibility
import TestSupport
import Testing

/// The adapters and properties of 0.1.
@Suite(.expectsFailures)
struct StorageAdapterTests: DeprecatedUse {
  enum Fact: CaseIterable, Sendable {
    case elementUsesAnAdapterOfTheApp
    case elementOfTheKeychainIsAKeychainStore
    case failureOfAnAdapterIsReported
  }

  @Test(arguments: Fact.allCases)
  func holds(_ fact: Fact) throws { try check(fact) }
}

@available(*, deprecated)
extension StorageAdapterTests {
  func verify(_ fact: Fact) throws {
    try inMemory {
      switch fact {
      case .elementUsesAnAdapterOfTheApp: try elementUsesAnAdapterOfTheApp()
      case .elementOfTheKeychainIsAKeychainStore: elementOfTheKeychainIsAKeychainStore()
      case .failureOfAnAdapterIsReported: failureOfAnAdapterIsReported()
      }
    }
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

  private func elementUsesAnAdapterOfTheApp() throws {
    let memory = Memory()
    let element = CodableKeychainElement<Person>(storageAdapter: memory, key: "person")
    #expect(element.wrappedValue == nil)
    element.wrappedValue = Person(age: 15, name: "Peter")
    #expect(element.wrappedValue == Person(age: 15, name: "Peter"))
    #expect(try memory.loadAll().map(\.0) == ["person"])
    element.wrappedValue = nil
    #expect(memory.values.isEmpty)
  }

  private func elementOfTheKeychainIsAKeychainStore() {
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

  private func failureOfAnAdapterIsReported() {
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
