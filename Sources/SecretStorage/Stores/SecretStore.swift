/// A store for secret items.
///
/// Implementations must follow these rules, which `StorageTesting` checks:
///
/// - A result is `nil` or empty only if the store searched completely and found nothing. A store
///   that cannot search throws.
/// - No two items have equal identities.
/// - Once a write has returned, every later read by any instance or process sees it.
/// - If an attribute, a constraint or a size is not supported, a method throws and changes nothing.
/// - No method waits for the user.
public protocol SecretStore: Sendable {
  /// The guarantees of the store.
  var guarantees: StoreGuarantees { get }

  /// The authenticator for an ``AuthenticationContext`` without one; nil if the store has none.
  var authenticator: (any Authenticator)? { get }

  /// Returns the revision of the store's content, which includes the changes of other writers.
  ///
  /// - Throws: ``SecretStoreError`` if the store cannot be read.
  func revision() throws(SecretStoreError) -> StoreRevision

  /// Returns the items that match a query, the oldest first, without their secrets.
  ///
  /// - Throws: ``SecretStoreError/locked(_:)`` instead of an incomplete result.
  func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem]

  /// Returns the secret of an item; nil if the item no longer exists.
  ///
  /// - Throws: ``SecretStoreError/locked(_:)`` or ``SecretStoreError/denied(_:)`` if the item
  ///   exists but may not be read now.
  func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading?

  /// Adds an item, and returns the stored item.
  ///
  /// - Throws: ``SecretStoreError/duplicate`` if an item with the identity exists.
  func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem

  /// Changes the attributes and the secret of an item, unless nil, and returns the stored item.
  ///
  /// - Throws: ``SecretStoreError/conflict`` if the item was removed or has a different revision.
  func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem

  /// Removes an item, if it exists.
  ///
  /// - Throws: ``SecretStoreError/conflict`` if the item has a different revision.
  func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError)

  /// Calls a handler after each change by any writer, as soon as the store detects it.
  ///
  /// Several changes may be coalesced into one call. The handler may use the store, because it runs
  /// on a separate thread without locks, one call at a time. Releasing the observation ends it.
  func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation
}

/// The secret of an item, with the revisions of the item and the store.
public struct SecretReading: Sendable {
  /// The secret.
  public let secret: Secret
  /// The item's revision.
  public let itemRevision: UInt64
  /// The store's revision when the secret was read.
  public let storeRevision: StoreRevision

  /// Creates a reading.
  public init(secret: Secret, itemRevision: UInt64, storeRevision: StoreRevision) {
    self.secret = secret
    self.itemRevision = itemRevision
    self.storeRevision = storeRevision
  }
}

/// The revision of a store's content.
///
/// If two revisions of a store instance are equal, its content did not change between them.
public struct StoreRevision: Hashable, Sendable {
  private let number: UInt64

  /// Creates a revision from a number that the store increments.
  public init(_ number: UInt64) {
    self.number = number
  }
}

extension SecretStore {
  /// Calls a closure, and retries if another writer changed an item between a search and a write.
  package func retrying<Result>(
    _ body: () throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    // At each conflict, another writer succeeds, so many consecutive ones mean a faulty store.
    for _ in 1..<100 {
      do throws(SecretStoreError) {
        return try body()
      } catch {
        if error != .conflict && error != .duplicate { throw error }
      }
    }
    return try body()
  }

  package func item(_ identity: ItemIdentity) throws(SecretStoreError) -> SecretItem? {
    try items(matching: .exactly(identity)).first
  }

  /// Returns the secret of an item, like ``secret(of:authorizedBy:)`` without an authorization.
  public func secret(of item: SecretItem.ID) throws(SecretStoreError) -> SecretReading? {
    try secret(of: item, authorizedBy: .none)
  }

  /// Adds an item, like ``add(_:identity:attributes:authorizedBy:)`` without an authorization.
  public func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes
  ) throws(SecretStoreError) -> SecretItem {
    try add(secret, identity: identity, attributes: attributes, authorizedBy: .none)
  }

  /// Calls ``update(_:expecting:attributes:secret:authorizedBy:)`` without an authorization.
  public func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?
  ) throws(SecretStoreError) -> SecretItem {
    try update(
      item, expecting: revision, attributes: attributes, secret: secret, authorizedBy: .none)
  }

  /// Returns this store if it has all required guarantees.
  ///
  /// ```swift
  /// SecretStores.bootstrap(try store.requiring([.survivesReboot, .encryptedAtRest]))
  /// ```
  ///
  /// - Throws: ``SecretStoreError/unsupported(_:)``, naming the missing guarantees.
  public func requiring(_ required: StoreGuarantees) throws -> Self {
    let missing = required.subtracting(guarantees)
    if missing.isEmpty { return self }
    throw SecretStoreError.unsupported("the guarantee that it \(missing)")
  }
}

/// The guarantees of a store, some of which an app may require.
public struct StoreGuarantees: OptionSet, Hashable, Sendable {
  /// The bits of the set.
  public let rawValue: UInt32

  /// Creates a set of guarantees from its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A write that has returned survives a power failure and a restart of the machine.
  public static let survivesReboot = StoreGuarantees(rawValue: 1 << 0)
  /// Secrets and attributes are unencrypted only in the memory of the process.
  public static let encryptedAtRest = StoreGuarantees(rawValue: 1 << 1)
  /// An item can be read only as its ``Accessibility`` allows.
  public static let enforcesAccessibility = StoreGuarantees(rawValue: 1 << 2)
  /// ``AccessFlags`` are enforced.
  public static let enforcesAccessControl = StoreGuarantees(rawValue: 1 << 3)
  /// Several processes of this machine may use the store at the same time.
  public static let sharedBetweenProcesses = StoreGuarantees(rawValue: 1 << 4)
  /// Several machines may use the store at the same time.
  public static let sharedBetweenMachines = StoreGuarantees(rawValue: 1 << 5)
  /// An older copy of the store is rejected.
  public static let detectsRollback = StoreGuarantees(rawValue: 1 << 6)

  private static let names: [(StoreGuarantees, String)] = [
    (.survivesReboot, "survives a reboot"), (.encryptedAtRest, "is encrypted at rest"),
    (.enforcesAccessibility, "enforces accessibility"),
    (.enforcesAccessControl, "enforces access control"),
    (.sharedBetweenProcesses, "is shared between processes"),
    (.sharedBetweenMachines, "is shared between machines"),
    (.detectsRollback, "detects a rollback"),
  ]
}

extension StoreGuarantees: CustomStringConvertible {
  /// A description of the guarantees in words, separated by commas.
  public var description: String {
    Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
