public import FoundationEssentials
import SecretStorage

/// An adapter that stores bytes by key, as the items of one service.
///
/// Each key is the account of a generic password in the default store. Reading an item that
/// requires authentication prompts the user and blocks the thread; in a task, it throws instead.
/// Only the subclass ``CodableKeychainAdapter`` has a public initializer.
@available(*, deprecated, message: "Use `GenericPassword` with the key as its account.")
public class KeychainAdapter: KeyValueSecureStorageAdapter, @unchecked Sendable {
  // `@unchecked`, because the class is not final; all of its stored properties are constants.

  private let givenService: String?
  private let accessControl: AccessControl

  init(serviceIdentifier: String?, biometricAuthRequired: Bool) {
    givenService = serviceIdentifier
    accessControl =
      biometricAuthRequired
      ? AccessControl(.whenPasscodeSetThisDeviceOnly, flags: .userPresence) : AccessControl()
  }

  /// Returns the bytes stored under a key.
  ///
  /// - Throws: ``KeychainError/itemNotFound`` if the key has no item, or a `SecretStoreError` if it
  ///   cannot be read.
  public func load(for key: String) throws -> Data {
    try load(for: key, mayPrompt: true)
  }

  func load(for key: String, mayPrompt: Bool) throws -> Data {
    let store = store
    guard let item = try store.item(try identity(of: key)) else {
      throw KeychainError.itemNotFound
    }
    let authorization =
      mayPrompt ? try context().waitForAuthorization(of: item, in: store) : Authorization.none
    guard let found = try store.bytes(of: item, authorizedBy: authorization) else {
      throw KeychainError.itemNotFound
    }
    return found.bytes
  }

  /// Returns all keys of the service with their bytes, oldest first.
  ///
  /// - Throws: ``KeychainError/itemNotFound`` if the service has no items, or a `SecretStoreError`
  ///   if one of them cannot be read.
  public func loadAll() throws -> [(String, Data)] {
    let store = store
    let context = try context()
    let items = try store.items(matching: try query())
    var values: [(String, Data)] = []
    for item in items {
      // Skips items that another process has removed, and items without an account.
      guard let key = item.identity.account,
        let found = try store.bytes(
          of: item, authorizedBy: context.waitForAuthorization(of: item, in: store))
      else { continue }
      values.append((key, found.bytes))
    }
    if values.isEmpty { throw KeychainError.itemNotFound }
    return values
  }

  /// Stores bytes under a key, replacing existing ones.
  ///
  /// - Throws: A `SecretStoreError` if the item cannot be saved, such as `unsupported` if biometric
  ///   authentication is required but unavailable.
  public func save(value: Data, for key: String) throws {
    try store.put(value, as: try identity(of: key), accessControl)
  }

  /// Removes the item of a key, if there is one; throws a `SecretStoreError`.
  public func delete(for key: String) throws {
    try store.removeItems(matching: .exactly(try identity(of: key)))
  }

  /// Removes all items of the service; throws a `SecretStoreError`.
  public func deleteAll() throws {
    try store.removeItems(matching: try query())
  }

  private var store: any SecretStore { SecretStores.defaultStore }

  private func service() throws(SecretStoreError) -> String {
    try DefaultDomain.service(givenService)
  }

  private func identity(of key: String) throws(SecretStoreError) -> ItemIdentity {
    .generic(service: try service(), account: key)
  }

  private func query() throws(SecretStoreError) -> ItemQuery {
    .matching(.generic(service: try service()))
  }

  private func context() throws(SecretStoreError) -> AuthenticationContext {
    AuthenticationContext(reason: "Read the secrets of \(try service())", reuse: .seconds(600))
  }
}

/// A query for the Security framework, which is not available on this platform.
@available(*, unavailable, message: "Use `ItemQuery` of SecretStorage.")
public typealias KeychainQuery = [String: Any]

@available(*, deprecated)
extension KeychainAdapter {
  /// Returns a query for the Security framework, which is not available on this platform.
  @available(
    *, unavailable, message: "Use `load(for:)`, or `items(matching:)` of the `SecretStore`."
  )
  public func getQuery(account: String? = nil) -> KeychainQuery { fatalError() }

  /// Runs a query of the Security framework, which is not available on this platform.
  @available(*, unavailable, message: "Use `load(for:)` or `loadAll()`.")
  public func getResult(
    account: String? = nil, single: Bool, biometricAuthMessage: String? = nil
  ) throws -> AnyObject? {
    fatalError()
  }
}

extension SecretStore {
  func bytes(
    of item: SecretItem, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> (bytes: Data, revision: UInt64)? {
    guard let reading = try secret(of: item.id, authorizedBy: authorization) else { return nil }
    // The bytes are copied inside the closure.
    return (unsafe reading.secret.withUnsafeBytes { unsafe Data($0) }, reading.itemRevision)
  }

  func put(
    _ bytes: Data, as identity: ItemIdentity, _ accessControl: AccessControl
  ) throws(SecretStoreError) {
    let secret = Secret(bytes)
    try retrying { () throws(SecretStoreError) in
      guard let item = try item(identity) else {
        _ = try add(
          secret, identity: identity, attributes: ItemAttributes(accessControl: accessControl))
        return
      }
      var attributes = item.attributes
      attributes.accessControl = accessControl
      _ = try update(item.id, expecting: item.revision, attributes: attributes, secret: secret)
    }
  }

  func removeItems(matching query: ItemQuery) throws(SecretStoreError) {
    try retrying { () throws(SecretStoreError) in
      for item in try items(matching: query) {
        try remove(item.id, expecting: item.revision)
      }
    }
  }
}
