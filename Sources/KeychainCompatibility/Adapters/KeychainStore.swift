import Concurrency
import FoundationEssentials
import SecretStorage

/// A property stored as JSON under a key of an adapter.
///
/// ```swift
/// @KeychainStore(key: "token") var token: String?
/// ```
///
/// Setting nil removes the item. Errors go to `SecretStores.onFailure`: a failed get returns nil,
/// and a value that cannot be saved stays in memory until the next set. Reading never prompts the
/// user; the adapter's `load(for:)` does.
@available(*, deprecated, message: "Use @GenericPassword(account:), after an AdapterMigration.")
@propertyWrapper
public final class KeychainStore<Property: Codable>: Sendable {
  private let key: String
  private let storageAdapter: CodableKeychainAdapter
  /// The value that the last set failed to save; an inner nil stands for a removal.
  private let unsaved = Lock(Data??.none)
  private let failures = ReportedFailures()

  /// Creates a property; nothing is read before the first access.
  public init(key: String, storageAdapter: CodableKeychainAdapter = .defaultDomain) {
    self.key = key
    self.storageAdapter = storageAdapter
  }

  /// The value, or nil if there is none; see the type's description.
  public var wrappedValue: Property? {
    get { read(for: .read).value }
    set {
      if Fork.isChild { return Fork.report() }
      do {
        try save(try newValue.map { try storageAdapter.jsonEncoder.encode($0) })
      } catch {
        failures.report(.write, error, of: Property.self)
      }
    }
    _modify {
      let base = read(for: .change)
      var value = base.value
      // An optional chain that ended at nil changed nothing, and setting nil is a removal. A change
      // after a failed read would overwrite the stored value.
      defer { if base.isLoaded, base.value != nil || value != nil { wrappedValue = value } }
      yield &value
    }
  }

  private func read(
    for operation: SecretStorageFailure.Operation
  ) -> (value: Property?, isLoaded: Bool) {
    if Fork.isChild { return (nil, true) }
    do {
      if let unsaved = unsaved.withLock({ $0 }) {
        return (try unsaved.map(storageAdapter.value), true)
      }
      let bytes = try storageAdapter.load(for: key, mayPrompt: false)
      let value: Property = try storageAdapter.value(of: bytes)
      failures.didSucceed()
      return (value, true)
    } catch KeychainError.itemNotFound {
      failures.didSucceed()
      return (nil, true)
    } catch {
      failures.report(operation, error, of: Property.self)
      return (nil, false)
    }
  }

  private func save(_ bytes: Data?) throws {
    do {
      if let bytes {
        try storageAdapter.save(value: bytes, for: key)
      } else {
        try storageAdapter.delete(for: key)
      }
    } catch {
      unsaved.withLock { $0 = .some(bytes) }
      throw error
    }
    unsaved.withLock { $0 = nil }
    failures.didSucceed()
  }
}

struct ReportedFailures: Sendable {
  private let failures = Lock(Set<SecretStorageFailure>())

  func didSucceed() {
    let failures = failures.withLock { failures in
      defer { failures = [] }
      return failures
    }
    SecretStores.didSucceed(after: failures)
  }

  /// Reports an adapter's failure, but not a coder's error, which may contain the value.
  func report(_ operation: SecretStorageFailure.Operation, _ error: any Error, of type: Any.Type) {
    let reason: SecretStoreError =
      operation == .write
      ? .invalid("JSON cannot represent this value of type \(type); the stored value is unchanged")
      : .undecodable("\(type)")
    let failure = SecretStorageFailure(operation, error as? SecretStoreError ?? reason)
    failures.withLock { _ = $0.insert(failure) }
    SecretStores.onFailure(failure)
  }
}
