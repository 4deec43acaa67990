import FoundationEssentials
import SecretStorage
import StorageInternals

/// A property that is kept as JSON under a key of an adapter.
///
/// ```swift
/// @KeychainStore(key: "token") var token: String?
/// ```
///
/// Setting nil removes the item. An access never throws: `SecretStorage.onFailure` is told, a get
/// that fails gives nil, and what a set could not store is what this property gives until it is set
/// again. A get never asks a person: where the item needs a proof, use the adapter's `load(for:)`.
@available(
  *, deprecated,
  message:
    "Use @GenericPassword(service:account:) with the key as account, after an AdapterMigration."
)
@propertyWrapper
public final class KeychainStore<Property: Codable>: Sendable {
  private let key: String
  private let storageAdapter: CodableKeychainAdapter
  /// What was set and could not be stored; the inner nil is a removal.
  private let unsaved = Lock(Data??.none, inForkedChild: { nil })

  /// Declares a property; nothing is read before the first access.
  ///
  /// - Parameters:
  ///   - key: The account of the item.
  ///   - storageAdapter: Says which service it has.
  public init(key: String, storageAdapter: CodableKeychainAdapter = .defaultDomain) {
    self.key = key
    self.storageAdapter = storageAdapter
  }

  /// The value, or nil if there is none; see above.
  public var wrappedValue: Property? {
    get { read(for: .read).value }
    set {
      do {
        try save(try newValue.map(storageAdapter.bytes))
      } catch {
        report(.write, error)
      }
    }
    _modify {
      let base = read(for: .change)
      var value = base.value
      // An optional chain that ended at nil changed nothing, and setting nil is a removal. A change
      // of what could not be read would overwrite it.
      defer { if base.isKnown, base.value != nil || value != nil { wrappedValue = value } }
      yield &value
    }
  }

  private func read(
    for operation: PasswordFailure.Operation
  ) -> (value: Property?, isKnown: Bool) {
    do {
      if let unsaved = unsaved.withLock({ $0 }) {
        return (try unsaved.map(storageAdapter.value), true)
      }
      let bytes = try storageAdapter.load(for: key, asksAndWaits: false)
      return (try storageAdapter.value(of: bytes), true)
    } catch KeychainError.itemNotFound {
      return (nil, true)
    } catch {
      report(operation, error)
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
  }

  private func report(_ operation: PasswordFailure.Operation, _ error: any Error) {
    // The errors of coders may show what was coded.
    let reason: SecretStoreError =
      operation == .write
      ? .invalid(
        "JSON cannot hold this value of type \(Property.self): what was stored before stays")
      : .undecodable("\(Property.self)")
    SecretStorage.onFailure(PasswordFailure(operation, error as? SecretStoreError ?? reason))
  }
}
