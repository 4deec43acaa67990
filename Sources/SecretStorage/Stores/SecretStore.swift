/// A storage for secret items.
///
/// An implementation keeps these rules, which `StorageTesting` checks:
///
/// - A result is `nil` or empty only if the store searched completely and found nothing. A store
///   that cannot search throws.
/// - Identities are unique per class and complete identity.
/// - After a write has returned, every later read by any instance or process sees it.
/// - A store that does not support an attribute, a constraint or a size throws and changes nothing.
/// - No method waits for a person.
public protocol SecretStore: Sendable {
  /// The guarantees of the store.
  var guarantees: StoreGuarantees { get }

  /// The authenticator for an ``AuthenticationContext`` without one; nil if the store has none.
  var authenticator: (any Authenticator)? { get }

  /// Returns the revision of the store's content, including changes of other writers.
  ///
  /// - Throws: ``SecretStoreError`` when the store cannot be read.
  func revision() throws(SecretStoreError) -> StoreRevision

  /// Returns the items that match a query, the oldest first, without reading a secret.
  ///
  /// - Throws: ``SecretStoreError/locked`` instead of an incomplete result.
  func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem]

  /// Reads the secret of an item; nil means that the item no longer exists.
  ///
  /// - Throws: ``SecretStoreError/locked`` or ``SecretStoreError/denied(_:)`` when the item exists
  ///   but may not be read now.
  func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading?

  /// Adds an item, and returns the stored item.
  ///
  /// - Throws: ``SecretStoreError/duplicate`` when an item with this identity exists.
  func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem

  /// Changes the attributes, the secret, or both of an item, and returns the stored item.
  ///
  /// A nil argument changes nothing.
  ///
  /// - Throws: ``SecretStoreError/conflict`` when the item was removed or now has another revision.
  func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem

  /// Removes an item; succeeds if it does not exist.
  ///
  /// - Throws: ``SecretStoreError/conflict`` when the item now has another revision.
  func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError)

  /// Calls a handler after each change by any writer, as soon as the store detects it.
  ///
  /// Several changes may be coalesced into one call. The handler may use the store: it is called on
  /// a queue of the store, one call at a time, not on the thread of the change, and without locks.
  ///
  /// - Returns: The observation, to be kept for as long as the handler is to be called.
  func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation
}

/// The secret of an item, with the revisions of the item and the store.
public struct SecretReading: Sendable {
  /// The secret itself.
  public let secret: Secret
  /// The item's revision.
  public let itemRevision: UInt64
  /// The store's revision when the secret was read.
  public let storeRevision: StoreRevision

  /// Makes a reading.
  public init(secret: Secret, itemRevision: UInt64, storeRevision: StoreRevision) {
    self.secret = secret
    self.itemRevision = itemRevision
    self.storeRevision = storeRevision
  }
}

/// The revision of a store's content.
///
/// If two revisions of the same store object are equal, the content did not change between them.
public struct StoreRevision: Hashable, Sendable {
  private let number: UInt64

  /// Makes a revision from a number that the store increments.
  public init(_ number: UInt64) {
    self.number = number
  }
}

extension SecretStore {
  /// Reads the secret of an item that needs no proof; nil means that the item no longer exists.
  ///
  /// - Throws: The errors of ``secret(of:authorizedBy:)``.
  public func secret(of item: SecretItem.ID) throws(SecretStoreError) -> SecretReading? {
    try secret(of: item, authorizedBy: .none)
  }

  /// Adds an item, without proofs or an application password.
  ///
  /// - Throws: The errors of ``add(_:identity:attributes:authorizedBy:)``.
  public func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes
  ) throws(SecretStoreError) -> SecretItem {
    try add(secret, identity: identity, attributes: attributes, authorizedBy: .none)
  }

  /// Changes an item, without proofs or an application password.
  ///
  /// - Throws: The errors of ``update(_:expecting:attributes:secret:authorizedBy:)``.
  public func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?
  ) throws(SecretStoreError) -> SecretItem {
    try update(
      item, expecting: revision, attributes: attributes, secret: secret, authorizedBy: .none)
  }
}

extension SecretStore {
  /// Returns this store if it has all required guarantees.
  ///
  /// ```swift
  /// SecretStores.bootstrap(try store.requiring([.survivesReboot, .encryptedAtRest]))
  /// ```
  ///
  /// - Throws: ``SecretStoreError/unsupported(_:)``, naming the missing guarantees.
  public func requiring(_ demanded: StoreGuarantees) throws -> Self {
    let missing = demanded.subtracting(guarantees)
    if missing.isEmpty { return self }
    throw SecretStoreError.unsupported("a store that \(missing)")
  }
}
