import Concurrency
import SecretStorage

/// A property stored as JSON under a key of an adapter, as declared in version 0.1.
///
/// With a ``CodableKeychainAdapter``, it behaves like a ``KeychainStore``. If another adapter
/// throws, a get returns nil, a set has no effect, and the error goes to `SecretStores.onFailure`.
@available(*, deprecated, message: "Use @GenericPassword(account:), after an AdapterMigration.")
@propertyWrapper
public final class CodableKeychainElement<Property: Codable> {
  private let key: String
  private let storageAdapter: any JSONCodedKeyValueSecureStorageAdapter
  private let store: KeychainStore<Property>?
  private let failures = ReportedFailures()

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
      if Fork.isChild { return nil }
      do {
        let value: Property = try storageAdapter.load(for: key)
        failures.didSucceed()
        return value
      } catch KeychainError.itemNotFound {
        failures.didSucceed()
        return nil
      } catch {
        failures.report(.read, error, of: Property.self)
        return nil
      }
    }
    set {
      if let store { return store.wrappedValue = newValue }
      if Fork.isChild { return Fork.report() }
      do {
        if let newValue {
          try storageAdapter.save(value: newValue, for: key)
        } else {
          try storageAdapter.delete(for: key)
        }
        failures.didSucceed()
      } catch {
        failures.report(.write, error, of: Property.self)
      }
    }
  }
}

@available(*, unavailable)
extension CodableKeychainElement: Sendable {}
