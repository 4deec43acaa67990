import Concurrency
import FoundationEssentials

/// A store in memory, for tests, previews and short-lived secrets.
///
/// ```swift
/// let store = InMemorySecretStore()
/// let token = PasswordItem<String>(.generic(service: "my.service"), in: store)
/// token.value = "The Valley Wind"
/// store.lock()
/// print(token.value ?? "no value", token.status)  // no value locked
/// ```
///
/// The store applies ``Accessibility`` and ``AccessFlags`` as an unlocked or a locked vault does,
/// but without encryption. ``Accessibility/whenPasscodeSetThisDeviceOnly`` is not supported. A
/// search for an exact identity takes constant time; any other search examines every item, and
/// sorts those that match. In a forked child, the store is empty, and writing throws
/// ``SecretStoreError/forked``.
public final class InMemorySecretStore: SynchronouslyObservedStore {
  private struct Entry {
    var item: SecretItem
    var secret: Secret
    var bound: AccessConstraints.Bound
  }

  private struct Content {
    var entries: [SecretItem.ID: Entry] = [:]
    var ids: [ItemIdentity: SecretItem.ID] = [:]
    var revision: UInt64 = 0
    var lastDate = Date.distantPast
    var isLocked = false
    var lockCount: UInt64 = 0
    var denial: String?

    /// Returns the current date, or 1 µs after the last date that was returned if that is later.
    mutating func nextDate() -> Date {
      lastDate = max(Date(), lastDate.addingTimeInterval(1e-6))
      return lastDate
    }

    func checkUnlocked(_ accessibility: Accessibility) throws(SecretStoreError) {
      let isLockable = [.whenUnlocked, .whenUnlockedThisDeviceOnly].contains(accessibility)
      if isLocked && isLockable { throw .locked("unlock()") }
    }

    /// Throws an error unless the secret of an entry may be read or, if `isReading` is false, may
    /// be replaced although it has an application password.
    func checkAccess(
      to entry: Entry, reading isReading: Bool, authorizedBy authorization: Authorization
    ) throws(SecretStoreError) {
      let accessControl = entry.item.attributes.accessControl
      try checkUnlocked(accessControl.accessibility)
      let constraints = try AccessConstraints(accessControl.flags)
      try constraints.check(authorization, reading: isReading)
      if isReading {
        try constraints.checkEnrolledSet(of: authorization) { $0 == entry.bound.enrolledSet }
        if let denial { throw .denied(denial) }
      }
      if let bound = entry.bound.password?.password,
        authorization.context?.applicationPassword?.password != bound.password
      {
        throw .wrongApplicationPassword
      }
    }
  }

  private let content = Lock(Content())
  private let observers = ChangeObservers()
  fileprivate static let shared = InMemorySecretStore()

  /// Creates an empty, unlocked store.
  ///
  /// - Parameter authenticator: The authenticator that obtains proofs for ``AccessFlags`` if an
  ///   ``AuthenticationContext`` has none; with nil, the user cannot be asked.
  public init(authenticator: (any Authenticator)? = nil) { self.authenticator = authenticator }

  /// ``StoreGuarantees/enforcesAccessControl`` alone, because the items are lost when the process
  /// ends, and are not encrypted.
  public var guarantees: StoreGuarantees { .enforcesAccessControl }

  /// The authenticator with which the store was created.
  public let authenticator: (any Authenticator)?

  /// Whether the store is locked, so that items that are ``Accessibility/whenUnlocked`` or
  /// ``Accessibility/whenUnlockedThisDeviceOnly`` cannot be read or written.
  public var isLocked: Bool { !Fork.isChild && content.withLock { $0.isLocked } }

  /// Locks the store, as ``SecretVault/lock()`` does a vault; attributes can still be searched.
  public func lock() {
    change {
      $0.isLocked = true
      $0.lockCount += 1
    }
  }

  /// Unlocks the store.
  public func unlock() { change { $0.isLocked = false } }

  /// The reason why reading each secret throws ``SecretStoreError/denied(_:)``, as a clause such as
  /// "the fingerprint sensor is busy"; nil, the default, to deny only what lacks a proof.
  public var denial: String? {
    get { Fork.isChild ? nil : content.withLock { $0.denial } }
    set { change { $0.denial = newValue } }
  }

  package var lockCount: UInt64 { Fork.isChild ? 0 : content.withLock { $0.lockCount } }

  /// Returns the number of writes and of changes of ``isLocked`` and ``denial`` so far.
  public func revision() -> StoreRevision {
    if Fork.isChild { return StoreRevision(0) }
    return content.withLock { StoreRevision($0.revision) }
  }

  package func isUnchanged(since revision: StoreRevision) -> Bool { self.revision() == revision }

  /// Returns the items that match a query, the oldest first.
  public func items(matching query: ItemQuery) -> [SecretItem] {
    if Fork.isChild { return [] }
    return content.withLock { content in
      if case .exactly(let identity) = query {
        return content.ids[identity].flatMap { content.entries[$0] }.map { [$0.item] } ?? []
      }
      return content.entries.values.lazy.map(\.item)
        .filter { query.includes($0.identity) }
        .sorted(by: SecretItem.isOlder)
    }
  }

  /// Returns the secret of an item; nil if the item no longer exists.
  ///
  /// - Throws: ``SecretStoreError/locked(_:)``, or ``SecretStoreError/denied(_:)`` or
  ///   ``SecretStoreError/wrongApplicationPassword`` if the authorization does not satisfy the
  ///   access flags of the item, or because of ``denial``.
  public func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    if Fork.isChild { return nil }
    return try content.withLock { content throws(SecretStoreError) in
      guard let entry = content.entries[item] else { return nil }
      try content.checkAccess(to: entry, reading: true, authorizedBy: authorization)
      return SecretReading(
        secret: entry.secret, itemRevision: entry.item.revision,
        storeRevision: StoreRevision(content.revision))
    }
  }

  /// Adds an item, and returns the stored item.
  ///
  /// - Throws: ``SecretStoreError/duplicate``, ``SecretStoreError/locked(_:)``,
  ///   ``SecretStoreError/unsupported(_:)`` for access flags that no available authenticator can
  ///   check, ``SecretStoreError/denied(_:)`` without a required application password, or
  ///   ``SecretStoreError/invalid(_:)``.
  public func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try SecretStoreError.checkProcess()
    try Self.check(identity, attributes, secretCount: secret.count)
    let bound = try bound(attributes.accessControl, authorization)
    return try write { content throws(SecretStoreError) in
      if content.ids[identity] != nil { throw .duplicate }
      try content.checkUnlocked(attributes.accessControl.accessibility)
      let date = content.nextDate()
      let item = SecretItem(
        id: try .random(), identity: identity, attributes: attributes,
        creationDate: date, modificationDate: date, revision: content.revision + 1)
      content.ids[identity] = item.id
      content.entries[item.id] = Entry(item: item, secret: secret, bound: bound)
      return item
    }
  }

  /// Changes the attributes, the secret, or both of an item, and returns the stored item.
  ///
  /// Changing only attributes other than the access control needs no authorization.
  ///
  /// - Throws: ``SecretStoreError/conflict``, ``SecretStoreError/denied(_:)`` or
  ///   ``SecretStoreError/wrongApplicationPassword`` if the authorization does not suffice, or an
  ///   error of ``add(_:identity:attributes:authorizedBy:)``.
  public func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try SecretStoreError.checkProcess()
    guard let old = content.withLock({ $0.entries[item] }), old.item.revision == revision else {
      throw .conflict
    }
    let attributes = attributes ?? old.item.attributes
    let accessControl = attributes.accessControl
    let isSealedAnew = secret != nil || accessControl != old.item.attributes.accessControl
    if isSealedAnew, secret == nil || old.bound.password != nil {
      try content.withLock { content throws(SecretStoreError) in
        try content.checkAccess(to: old, reading: secret == nil, authorizedBy: authorization)
      }
    }
    var entry = old
    entry.secret = secret ?? old.secret
    try Self.check(old.item.identity, attributes, secretCount: entry.secret.count)
    if isSealedAnew { entry.bound = try bound(accessControl, authorization) }
    return try write { content throws(SecretStoreError) in
      guard content.entries[item]?.item.revision == revision else { throw .conflict }
      if isSealedAnew { try content.checkUnlocked(accessControl.accessibility) }
      entry.item = SecretItem(
        id: item, identity: old.item.identity, attributes: attributes,
        creationDate: old.item.creationDate, modificationDate: content.nextDate(),
        revision: content.revision + 1)
      content.entries[item] = entry
      return entry.item
    }
  }

  /// Removes an item, if it exists.
  ///
  /// - Throws: ``SecretStoreError/conflict`` if the item has a different revision.
  public func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    try write { content throws(SecretStoreError) in
      guard let entry = content.entries[item] else { return }
      if entry.item.revision != revision { throw .conflict }
      content.ids[entry.item.identity] = nil
      content.entries[item] = nil
    }
  }

  /// Calls a handler after each write, and each change of ``isLocked`` and ``denial``, on a thread
  /// of the store.
  ///
  /// Several changes may be coalesced into one call.
  public func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    observers.add(handler)
  }

  package func observeChangesSynchronously(
    _ handler: @escaping @Sendable () -> Void
  ) -> ChangeObservation {
    observers.add(handler, isSynchronous: true)
  }

  private func write<Result: Sendable>(
    _ body: (inout Content) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    try SecretStoreError.checkProcess()
    let result = try content.withLock { content throws(SecretStoreError) in
      let result = try body(&content)
      content.revision += 1
      return result
    }
    observers.notify()
    return result
  }

  /// Changes what does not belong to an item, such as whether the store is locked.
  private func change(_ body: (inout Content) -> Void) {
    if Fork.isChild { return }
    content.withLock { content in
      body(&content)
      content.revision += 1
    }
    observers.notify()
  }

  private static func check(
    _ identity: ItemIdentity, _ attributes: ItemAttributes, secretCount: Int
  ) throws(SecretStoreError) {
    if attributes.accessControl.accessibility == .whenPasscodeSetThisDeviceOnly {
      throw .unsupported("a passcode, which accessibility whenPasscodeSetThisDeviceOnly needs")
    }
    try ItemLimits.check(identity: identity, attributes: attributes, secretCount: secretCount)
  }

  /// Returns what a new or changed item is bound to.
  ///
  /// It is called without the lock, because the authenticator is the app's.
  private func bound(
    _ accessControl: AccessControl, _ authorization: Authorization
  ) throws(SecretStoreError) -> AccessConstraints.Bound {
    try AccessConstraints(accessControl.flags).checkSaving(authorization, with: authenticator)
  }
}

extension InMemorySecretStore: CustomReflectable {
  /// A mirror without children, so that a dump shows no names.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension SecretStore where Self == InMemorySecretStore {
  /// The in-memory store that the process shares.
  public static var inMemory: InMemorySecretStore { .shared }
}
