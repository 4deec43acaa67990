import Concurrency

/// An observation of changes to a store.
///
/// It ends when it is cancelled or released, and does not retain the store. A handler retains
/// the stores of the `withStandard` and `withDefaultStore` calls in which it was added until the
/// observation ends.
public final class ChangeObservation: Sendable {
  private let lifetime: ObservationLifetime
  private let findProblem: @Sendable () -> SecretStoreError?

  /// Creates an observation from a closure that ends it; the closure may be called more than once.
  public convenience init(end: @escaping @Sendable () -> Void) {
    self.init(problem: { nil }, end: end)
  }

  init(problem: @escaping @Sendable () -> SecretStoreError?, end: @escaping @Sendable () -> Void) {
    findProblem = problem
    lifetime = ObservationLifetime(end: end)
  }

  /// The reason why changes by other processes are reported with a delay; nil without a delay.
  var problem: SecretStoreError? { findProblem() }

  /// Ends the observation; further calls do nothing.
  ///
  /// A call of the handler on another thread may still be running.
  public func cancel() {
    lifetime.cancel()
  }
}

extension SecretStore {
  /// A sequence of changes by any writer; changes are coalesced for a slow consumer.
  public var changes: AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let observation = observeChanges { continuation.yield() }
      if Fork.isChild { continuation.finish() }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }
}

/// A store whose calls report a change before they return, and whose revision changes when locked.
///
/// With other stores, cached values stay stale until the asynchronous handlers are called.
package protocol SynchronouslyObservedStore: SecretStore, AnyObject {
  /// Returns whether a secret read at a revision without proofs would be the same if read again.
  ///
  /// For automatic locking, a call counts as reading the secret.
  func isUnchanged(since revision: StoreRevision) throws(SecretStoreError) -> Bool

  /// The number of times that the app has locked the store.
  var lockCount: UInt64 { get }

  /// Calls a handler after each change, on a thread that may hold locks.
  ///
  /// The handler must return immediately, and must call neither the store nor the app.
  func observeChangesSynchronously(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation
}
