import Concurrency
import SecretStorage
import TestSupport

/// A store that fails from a write on, as if its process had ended, or runs work before searches.
final class InterruptedStore: ForwardingStore {
  static let interruption = SecretStoreError.unavailable("The process has ended.")

  let store: any SecretStore
  private let writesLeft: Lock<Int>
  private let losesOnlyTheAnswer: Bool
  private let beforeSearch: @Sendable () throws(SecretStoreError) -> Void

  /// Forwards so many writes, and the next one as well if only its answer is lost.
  init(
    _ store: any SecretStore, after writes: Int = .max, losesOnlyTheAnswer: Bool = false,
    beforeSearch: @escaping @Sendable () throws(SecretStoreError) -> Void = {}
  ) {
    self.store = store
    writesLeft = Lock(writes)
    self.losesOnlyTheAnswer = losesOnlyTheAnswer
    self.beforeSearch = beforeSearch
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

  func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    try beforeSearch()
    return try store.items(matching: query)
  }

  func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try write { () throws(SecretStoreError) in
      try store.add(secret, identity: identity, attributes: attributes, authorizedBy: authorization)
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
