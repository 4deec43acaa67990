public import FoundationEssentials
import SecretStorage

/// A storage of bytes under keys, as 0.1 declared it.
@available(*, deprecated, message: "Use `SecretStore`, or a `GenericPassword` for each key.")
public protocol KeyValueSecureStorageAdapter {
  /// Reads the bytes of a key.
  func load(for key: String) throws -> Data
  /// Reads the bytes of all keys.
  func loadAll() throws -> [(String, Data)]
  /// Stores bytes under a key.
  func save(value: Data, for key: String) throws
  /// Removes all keys.
  func deleteAll() throws
  /// Removes a key.
  func delete(for key: String) throws
}

/// A storage of JSON values under keys, as 0.1 declared it.
@available(*, deprecated, message: "Use `SecretStore`, or a `GenericPassword` for each key.")
public protocol JSONCodedKeyValueSecureStorageAdapter: KeyValueSecureStorageAdapter {
  /// The encoder of the values.
  var jsonEncoder: JSONEncoder { get }
  /// The decoder of the values.
  var jsonDecoder: JSONDecoder { get }

  /// Reads the value of a key.
  func load<Property: Codable>(for key: String) throws -> Property
  /// Stores a value under a key.
  func save<Property: Codable>(value: Property, for key: String) throws
}

@available(*, deprecated)
extension JSONCodedKeyValueSecureStorageAdapter {
  /// Decodes the bytes of a key.
  public func load<Property: Codable>(for key: String) throws -> Property {
    try jsonDecoder.decode(Property.self, from: try load(for: key) as Data)
  }

  /// Encodes a value and stores it under a key.
  public func save<Property: Codable>(value: Property, for key: String) throws {
    try save(value: try jsonEncoder.encode(value) as Data, for: key)
  }
}

/// A property stored as JSON under a key of an adapter, as 0.1 declared it.
///
/// With a ``CodableKeychainAdapter``, it is a ``KeychainStore``. If an adapter of the app throws, a
/// get returns nil, a set does nothing, and the error goes to `SecretStores.onFailure`.
@available(*, deprecated, message: "Run an `AdapterMigration`, then use `GenericPassword`.")
@propertyWrapper
public final class CodableKeychainElement<Property: Codable> {
  private let key: String
  private let storageAdapter: any JSONCodedKeyValueSecureStorageAdapter
  private let store: KeychainStore<Property>?

  /// Creates a property; nothing is read before the first access.
  public init(storageAdapter: any JSONCodedKeyValueSecureStorageAdapter, key: String) {
    self.key = key
    self.storageAdapter = storageAdapter
    store = (storageAdapter as? CodableKeychainAdapter).map {
      KeychainStore(key: key, storageAdapter: $0)
    }
  }

  /// The value, or nil if there is none.
  public var wrappedValue: Property? {
    get {
      if let store { return store.wrappedValue }
      do {
        return try storageAdapter.load(for: key)
      } catch KeychainError.itemNotFound {
        return nil
      } catch {
        SecretStorageFailure.report(.read, error, of: Property.self)
        return nil
      }
    }
    set {
      if let store { return store.wrappedValue = newValue }
      do {
        guard let newValue else { return try storageAdapter.delete(for: key) }
        try storageAdapter.save(value: newValue, for: key)
      } catch {
        SecretStorageFailure.report(.write, error, of: Property.self)
      }
    }
  }
}

@available(*, unavailable)
extension CodableKeychainElement: Sendable {}

extension SecretStorageFailure {
  /// Reports the failure of an adapter, without a coder's error, which may contain the value.
  static func report(_ operation: Operation, _ error: any Error, of type: Any.Type) {
    let reason: SecretStoreError =
      operation == .write
      ? .invalid("JSON cannot hold this value of type \(type): the stored value is unchanged")
      : .undecodable("\(type)")
    SecretStores.onFailure(SecretStorageFailure(operation, error as? SecretStoreError ?? reason))
  }
}

/// A query of the Security framework, which this platform does not have.
@available(*, unavailable, message: "Use `ItemQuery` of SecretStorage.")
public typealias KeychainQuery = [String: Any]

@available(*, deprecated)
extension KeychainAdapter {
  /// Makes a query of the Security framework, which this platform does not have.
  @available(
    *, unavailable, message: "Use `load(for:)`, or `items(matching:)` of the `SecretStore`."
  )
  public func getQuery(account: String? = nil) -> KeychainQuery { fatalError() }

  /// Runs a query of the Security framework, which this platform does not have.
  @available(*, unavailable, message: "Use `load(for:)` or `loadAll()`.")
  public func getResult(
    account: String? = nil, single: Bool, biometricAuthMessage: String? = nil
  ) throws -> AnyObject? {
    fatalError()
  }
}
