import Concurrency
import SecretStorage
import TestSupport

/// An in-memory store with injectable failures and a call counter.
final class ScriptedStore: SynchronouslyObservedStore, ForwardingStore {
  struct Script: Sendable {
    var failure: SecretStoreError?
    var writeFailures: [SecretStoreError] = []
    var counts: [StoreCall: Int] = [:]
  }

  let content = InMemorySecretStore()
  private let script = Lock(Script())

  var callCount: Int { script.withLock { $0.counts.values.reduce(0, +) } }
  var store: any SecretStore { content }
  var lockCount: UInt64 { content.lockCount }

  func fail(with failure: SecretStoreError?) { script.withLock { $0.failure = failure } }

  func failWrites(with failures: [SecretStoreError]) {
    script.withLock { $0.writeFailures = failures }
  }

  func count(of call: StoreCall) -> Int { script.withLock { $0.counts[call] ?? 0 } }

  func calls<Failure>(during body: () throws(Failure) -> Void) throws(Failure) -> Int {
    let before = callCount
    try body()
    return callCount - before
  }

  func willForward(_ call: StoreCall) throws(SecretStoreError) {
    try script.withLock { script throws(SecretStoreError) in
      script.counts[call, default: 0] += 1
      if let failure = script.failure { throw failure }
      if call == .write, !script.writeFailures.isEmpty { throw script.writeFailures.removeFirst() }
    }
  }

  func isUnchanged(since revision: StoreRevision) throws(SecretStoreError) -> Bool {
    try self.revision() == revision
  }

  func observeChangesSynchronously(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    content.observeChangesSynchronously(handler)
  }
}
