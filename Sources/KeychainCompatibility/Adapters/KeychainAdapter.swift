public import FoundationEssentials
import SecretStorage

/// The items of one service, as bytes under keys; ``CodableKeychainAdapter`` is the one to make.
///
/// It works on the default store: a key is the account of a generic password, and the service of the
/// adapter its service. Where items need a proof, reading them asks a person and waits, which only a
/// thread may do, not a task.
@available(
  *, deprecated, message: "Use @GenericPassword(service:account:) with the key as account."
)
public class KeychainAdapter: @unchecked Sendable {
  // `@unchecked`, because a class that has subclasses cannot be checked: all it has are constants.

  /// What all items have as service; nil for the default domain.
  private let givenService: String?
  private let accessControl: AccessControl

  init(serviceIdentifier: String?, biometricAuthRequired: Bool) {
    givenService = serviceIdentifier
    accessControl =
      biometricAuthRequired
      ? AccessControl(.whenPasscodeSetThisDeviceOnly, flags: .userPresence) : AccessControl()
  }

  /// Reads the bytes of a key.
  ///
  /// - Throws: ``KeychainError/itemNotFound`` when there are none, or the `SecretStoreError` that kept
  ///   the store from reading.
  public func load(for key: String) throws -> Data {
    try load(for: key, asksAndWaits: true)
  }

  func load(for key: String, asksAndWaits: Bool) throws -> Data {
    let store = store
    guard let item = try store.item(try identity(of: key)) else {
      throw KeychainError.itemNotFound
    }
    let authorization =
      asksAndWaits ? try waiting(in: store).authorization(for: item) : Authorization.none
    guard let found = try store.bytes(of: item, authorizedBy: authorization) else {
      throw KeychainError.itemNotFound
    }
    return found.bytes
  }

  /// Reads the bytes of all keys of the service, the oldest first.
  ///
  /// - Throws: ``KeychainError/itemNotFound`` when the service has no item, or the `SecretStoreError`
  ///   that kept the store from reading.
  public func loadAll() throws -> [(String, Data)] {
    let store = store
    let waiting = try waiting(in: store)
    let items = try store.items(matching: try query())
    var values: [(String, Data)] = []
    for item in items {
      // What somebody removes meanwhile is not there, and what has no account is no adapter's.
      guard let key = item.identity.account,
        let found = try store.bytes(of: item, authorizedBy: waiting.authorization(for: item))
      else { continue }
      values.append((key, found.bytes))
    }
    if values.isEmpty { throw KeychainError.itemNotFound }
    return values
  }

  /// Stores bytes under a key, in the place of those that are there.
  ///
  /// - Throws: The `SecretStoreError` that kept the store from writing: `unsupported` when biometric
  ///   authentication is required that nobody at hand can ask for.
  public func save(value: Data, for key: String) throws {
    try store.put(value, as: try identity(of: key), accessControl)
  }

  /// Removes what is under a key; that there is nothing is a success.
  ///
  /// - Throws: The `SecretStoreError` that kept the store from removing.
  public func delete(for key: String) throws {
    try store.removeItems(matching: .exactly(try identity(of: key)))
  }

  /// Removes all items of the service; that there is none is a success.
  ///
  /// - Throws: The `SecretStoreError` that kept the store from removing.
  public func deleteAll() throws {
    try store.removeItems(matching: try query())
  }

  private var store: any SecretStore { SecretStorage.defaultStore }

  private func service() throws(SecretStoreError) -> String {
    if let givenService { return givenService }
    return try DefaultDomain.service()
  }

  private func identity(of key: String) throws(SecretStoreError) -> ItemIdentity {
    .generic(service: try service(), account: key)
  }

  private func query() throws(SecretStoreError) -> ItemQuery {
    .matching(.generic(service: try service()))
  }

  private func waiting(in store: any SecretStore) throws(SecretStoreError) -> WaitingAuthorization {
    WaitingAuthorization(for: store, reason: "Read the secrets of \(try service())")
  }
}
