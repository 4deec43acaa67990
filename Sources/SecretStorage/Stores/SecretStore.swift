/// A place where secret items live.
///
/// Whoever writes a store keeps these rules, which `SecretStorageTesting` checks:
///
/// - Nothing is `nil`, empty or absent unless the store searched completely and found nothing. A
///   store that cannot look throws.
/// - Identities are unique per class and complete identity.
/// - A write that returned is there for every later read, by whatever instance or process.
/// - A store that cannot honour an attribute, a constraint or a size throws and changes nothing.
/// - No requirement waits for a person.
public protocol SecretStore: Sendable {
  /// What the store promises.
  var guarantees: StoreGuarantees { get }

  /// Who asks a person, where an ``AuthenticationContext`` names nobody; nil where nobody can be asked.
  var authenticator: (any Authenticator)? { get }

  /// Identifies the store's present content, after looking whether others changed it.
  ///
  /// - Throws: ``SecretStoreError`` when the store cannot look.
  func revision() throws(SecretStoreError) -> StoreRevision

  /// Finds the items that a query means, the oldest first, without touching a secret.
  ///
  /// - Throws: ``SecretStoreError/locked`` rather than an incomplete answer.
  func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem]

  /// Reads the secret of an item; nil means that there is no such item any more.
  ///
  /// - Throws: ``SecretStoreError/locked`` or ``SecretStoreError/denied(_:)`` when the item is there
  ///   but may not be read now.
  func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading?

  /// Adds an item, and returns it as it was stored.
  ///
  /// - Throws: ``SecretStoreError/duplicate`` when an item with this identity exists.
  func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem

  /// Changes the attributes, the secret, or both of an item, and returns it as it was stored.
  ///
  /// What is nil stays as it is.
  ///
  /// - Throws: ``SecretStoreError/conflict`` when the item has another revision by now or is gone.
  func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem

  /// Removes an item; when it is already gone, that is a success.
  ///
  /// - Throws: ``SecretStoreError/conflict`` when the item has another revision by now.
  func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError)

  /// Calls a handler after each change that anybody made, as soon as the store learns of it.
  ///
  /// Several changes may end in one call. The handler may use the store: it is called on a queue of the
  /// store's own, one call at a time, neither on the thread of the change nor under a lock.
  ///
  /// - Returns: A token; the calls end when it is released.
  func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation
}

/// The secret of an item, and the state of the store that it was read from.
public struct SecretReading: Sendable {
  /// The secret itself.
  public let secret: Secret
  /// The item's revision.
  public let itemRevision: UInt64
  /// The store's content at the time.
  public let storeRevision: StoreRevision

  /// Puts together what a store read.
  public init(secret: Secret, itemRevision: UInt64, storeRevision: StoreRevision) {
    self.secret = secret
    self.itemRevision = itemRevision
    self.storeRevision = storeRevision
  }
}

/// The content of a store at one time.
///
/// Two equal revisions of the same store object mean that nothing changed between them.
public struct StoreRevision: Hashable, Sendable {
  private let number: UInt64

  /// Makes a revision of a number that the store counts up.
  public init(_ number: UInt64) {
    self.number = number
  }
}

extension SecretStore {
  /// Reads the secret of an item that needs no proof; nil means that there is no such item any more.
  ///
  /// - Throws: As ``secret(of:authorizedBy:)`` does.
  public func secret(of item: SecretItem.ID) throws(SecretStoreError) -> SecretReading? {
    try secret(of: item, authorizedBy: .none)
  }

  /// Adds an item, with no more authorisation than the app's own.
  ///
  /// - Throws: As ``add(_:identity:attributes:authorizedBy:)`` does.
  public func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes
  ) throws(SecretStoreError) -> SecretItem {
    try add(secret, identity: identity, attributes: attributes, authorizedBy: .none)
  }

  /// Changes an item, with no more authorisation than the app's own.
  ///
  /// - Throws: As ``update(_:expecting:attributes:secret:authorizedBy:)`` does.
  public func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?
  ) throws(SecretStoreError) -> SecretItem {
    try update(
      item, expecting: revision, attributes: attributes, secret: secret, authorizedBy: .none)
  }
}
