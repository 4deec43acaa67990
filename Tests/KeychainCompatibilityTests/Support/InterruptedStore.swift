import Concurrency
import SecretStorage
import TestSupport

/// A store that simulates the end of its process at one of its writes, or runs other work before
/// each search.
final class InterruptedStore: ForwardingStore {
  static let interruption = SecretStoreError.unavailable("The process has ended.")

  let store: any SecretStore
  private let writesLeft: Lock<Int>
  private let losesOnlyTheAnswer: Bool
  private let beforeSearch: @Sendable (ItemQuery) throws(SecretStoreError) -> Void

  /// - Parameters:
  ///   - store: The store with the items.
  ///   - writes: The number of writes before the end.
  ///   - losesOnlyTheAnswer: Whether the last write takes place nevertheless.
  init(_ store: any SecretStore, after writes: Int, losesOnlyTheAnswer: Bool) {
    self.store = store
    writesLeft = Lock(writes)
    self.losesOnlyTheAnswer = losesOnlyTheAnswer
    beforeSearch = { _ in }
  }

  init(
    _ store: any SecretStore,
    beforeSearch: @escaping @Sendable (ItemQuery) throws(SecretStoreError) -> Void
  ) {
    self.store = store
    writesLeft = Lock(.max)
    losesOnlyTheAnswer = false
    self.beforeSearch = beforeSearch
  }

  private func check() throws(SecretStoreError) {
    if writesLeft.withLock({ $0 }) < 0 { throw Self.interruption }
  }

  private func write<Result>(
    _ body: () throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    let left = writesLeft.withLock { left in
      left -= 1
      return left
    }
    if left >= 0 { return try body() }
    if left == -1, losesOnlyTheAnswer { _ = try body() }
    throw Self.interruption
  }

  func revision() throws(SecretStoreError) -> StoreRevision {
    try check()
    return try store.revision()
  }

  func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    try check()
    try beforeSearch(query)
    return try store.items(matching: query)
  }

  func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    try check()
    return try store.secret(of: item, authorizedBy: authorization)
  }

  func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try write { () throws(SecretStoreError) in
      try store.add(
        secret, identity: identity, attributes: attributes, authorizedBy: authorization)
    }
  }

  func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try write { () throws(SecretStoreError) in
      try store.update(
        item, expecting: revision, attributes: attributes, secret: secret,
        authorizedBy: authorization)
    }
  }

  func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    try write { () throws(SecretStoreError) in try store.remove(item, expecting: revision) }
  }
}
