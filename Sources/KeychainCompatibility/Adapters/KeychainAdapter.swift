import Concurrency
public import FoundationEssentials
import SecretStorage
import StorageInternals

/// An adapter that stores bytes by key, as the items of one service.
///
/// Each key is the account of a generic password in the default store. Reading an item that
/// requires authentication prompts the user and blocks the thread, or throws in a task.
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
  public func load(for key: String) throws -> Data { try load(for: key, mayPrompt: true) }

  /// Returns a key's bytes; unless `mayPrompt`, throws `denied` if the item needs authentication.
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
      // Items that another process has removed, and items without an account, are skipped.
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
  /// - Throws: A `SecretStoreError` if the item cannot be saved, such as `unsupported` if the item
  ///   requires authentication, and the store has no authenticator for it.
  public func save(value: Data, for key: String) throws {
    let store = store
    let identity = try identity(of: key)
    let secret = Secret(value)
    try store.retrying { () throws(SecretStoreError) in
      var attributes = ItemAttributes(accessControl: accessControl)
      guard let item = try store.item(identity) else {
        _ = try store.add(secret, identity: identity, attributes: attributes)
        return
      }
      attributes = item.attributes
      attributes.accessControl = accessControl
      _ = try store.update(
        item.id, expecting: item.revision, attributes: attributes, secret: secret)
    }
  }

  /// Removes the item of a key, if there is one.
  ///
  /// - Throws: A `SecretStoreError` if the item cannot be removed.
  public func delete(for key: String) throws {
    try store.removeItems(matching: .exactly(try identity(of: key)))
  }

  /// Removes all items of the service.
  ///
  /// - Throws: A `SecretStoreError` if an item cannot be removed.
  public func deleteAll() throws { try store.removeItems(matching: try query()) }

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
    // The proof of one prompt is valid for all items that a call of `loadAll()` reads.
    AuthenticationContext(reason: "Read the secrets of \(try service())", reuse: .seconds(600))
  }

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

/// A query for the Security framework, which is not available on this platform.
@available(*, unavailable, message: "Use `ItemQuery` of SecretStorage.")
public typealias KeychainQuery = [String: Any]
