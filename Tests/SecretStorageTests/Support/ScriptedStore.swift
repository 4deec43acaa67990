import Concurrency
import SecretStorage

/// An in-memory store with injectable failures and a call counter.
final class ScriptedStore: SynchronouslyObservedStore {
  struct Script: Sendable {
    var failure: SecretStoreError?
    var writeFailures: [SecretStoreError] = []
    var revisions = 0, searches = 0, readings = 0, writes = 0

    var calls: Int { revisions + searches + readings + writes }
  }

  let content = InMemorySecretStore()
  private let script = Lock(Script())

  var counts: Script { script.withLock { $0 } }
  var guarantees: StoreGuarantees { [] }
  var authenticator: (any Authenticator)? { nil }

  func fail(with failure: SecretStoreError?) {
    script.withLock { $0.failure = failure }
  }

  func failWrites(with failures: [SecretStoreError]) {
    script.withLock { $0.writeFailures = failures }
  }

  func calls<Failure>(during body: () throws(Failure) -> Void) throws(Failure) -> Int {
    let before = counts.calls
    try body()
    return counts.calls - before
  }

  private func call(_ counter: WritableKeyPath<Script, Int>) throws(SecretStoreError) {
    try script.withLock { script throws(SecretStoreError) in
      script[keyPath: counter] += 1
      if let failure = script.failure { throw failure }
      if counter == \.writes, !script.writeFailures.isEmpty {
        throw script.writeFailures.removeFirst()
      }
    }
  }

  func revision() throws(SecretStoreError) -> StoreRevision {
    try call(\.revisions)
    return content.revision()
  }

  func isUnchanged(since revision: StoreRevision) throws(SecretStoreError) -> Bool {
    try self.revision() == revision
  }

  func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    try call(\.searches)
    return content.items(matching: query)
  }

  func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    try call(\.readings)
    return content.secret(of: item, authorizedBy: authorization)
  }

  func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try call(\.writes)
    return try content.add(secret, identity: identity, attributes: attributes)
  }

  func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try call(\.writes)
    return try content.update(item, expecting: revision, attributes: attributes, secret: secret)
  }

  func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    try call(\.writes)
    try content.remove(item, expecting: revision)
  }

  func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    content.observeChanges(handler)
  }

  func observeChangesSynchronously(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    content.observeChangesSynchronously(handler)
  }
}
