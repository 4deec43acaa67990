import Concurrency
import FoundationEssentials

/// A store in memory, for tests, previews and short-lived secrets.
///
/// It has no ``guarantees``, and cannot be locked, so ``Accessibility`` has no effect.
/// ``AccessFlags`` and ``Accessibility/whenPasscodeSetThisDeviceOnly`` are not supported. A search
/// for an exact identity takes constant time, and any other search linear time. In a forked child,
/// the store is empty, and writing throws ``SecretStoreError/forked``.
public final class InMemorySecretStore: SynchronouslyObservedStore {
  private struct Entry {
    var item: SecretItem
    var secret: Secret
  }

  private struct Content {
    var entries: [SecretItem.ID: Entry] = [:]
    var ids: [ItemIdentity: SecretItem.ID] = [:]
    var revision: UInt64 = 0
    var lastDate = Date.distantPast

    /// Later than the last date by at least 1 µs.
    mutating func nextDate() -> Date {
      lastDate = max(Date(), lastDate.addingTimeInterval(1e-6))
      return lastDate
    }
  }

  private let content = Lock(Content())
  private let observers = ChangeObservers()
  fileprivate static let shared = InMemorySecretStore()

  /// Creates an empty store.
  public init() {}

  /// Empty, because the items are lost when the process ends.
  public var guarantees: StoreGuarantees { [] }

  /// Always nil, because no item in this store needs a proof.
  public var authenticator: (any Authenticator)? { nil }

  /// Returns the number of writes so far.
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
  public func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) -> SecretReading? {
    if Fork.isChild { return nil }
    return content.withLock { content in
      content.entries[item].map {
        SecretReading(
          secret: $0.secret, itemRevision: $0.item.revision,
          storeRevision: StoreRevision(content.revision))
      }
    }
  }

  /// Adds an item, and returns the stored item.
  ///
  /// - Throws: ``SecretStoreError/duplicate``, ``SecretStoreError/unsupported(_:)`` or
  ///   ``SecretStoreError/invalid(_:)``.
  public func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try Self.check(identity, attributes, secretCount: secret.count)
    return try write { content throws(SecretStoreError) in
      if content.ids[identity] != nil { throw .duplicate }
      let date = content.nextDate()
      let item = SecretItem(
        id: try .random(), identity: identity, attributes: attributes,
        creationDate: date, modificationDate: date, revision: content.revision + 1)
      content.ids[identity] = item.id
      content.entries[item.id] = Entry(item: item, secret: secret)
      return item
    }
  }

  /// Changes the attributes, the secret, or both of an item, and returns the stored item.
  ///
  /// - Throws: ``SecretStoreError/conflict``, ``SecretStoreError/unsupported(_:)`` or
  ///   ``SecretStoreError/invalid(_:)``.
  public func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try write { content throws(SecretStoreError) in
      guard let entry = content.entries[item], entry.item.revision == revision else {
        throw .conflict
      }
      let old = entry.item
      let new = SecretItem(
        id: old.id, identity: old.identity, attributes: attributes ?? old.attributes,
        creationDate: old.creationDate, modificationDate: content.nextDate(),
        revision: content.revision + 1)
      let secret = secret ?? entry.secret
      try Self.check(new.identity, new.attributes, secretCount: secret.count)
      content.entries[item] = Entry(item: new, secret: secret)
      return new
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

  /// Calls a handler after each write, on a thread of the store.
  ///
  /// Several writes may be coalesced into one call.
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

  private static func check(
    _ identity: ItemIdentity, _ attributes: ItemAttributes, secretCount: Int
  ) throws(SecretStoreError) {
    if !attributes.accessControl.flags.isEmpty { throw .unsupported("access flags") }
    if attributes.accessControl.accessibility == .whenPasscodeSetThisDeviceOnly {
      throw .unsupported("a passcode, which accessibility whenPasscodeSetThisDeviceOnly needs")
    }
    try ItemLimits.check(identity: identity, attributes: attributes, secretCount: secretCount)
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
