/// A store that reports each change before the call that makes the change returns.
///
/// With other stores, cached values stay stale until the asynchronous handlers are called.
package protocol SynchronouslyObservedStore: SecretStore {
  /// Reports changes by other processes that would otherwise be reported with a delay.
  func reportDelayedChanges()

  /// Calls a handler after each change, on a thread that may hold locks.
  ///
  /// The handler must return immediately, and must call neither the store nor the app.
  func observeChangesSynchronously(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation
}

extension SynchronouslyObservedStore {
  package func reportDelayedChanges() {}
}

extension SecretStore {
  /// Observes changes with a handler that only counts them, synchronously if the store supports it.
  func countChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    (self as? any SynchronouslyObservedStore)?.observeChangesSynchronously(handler)
      ?? observeChanges(handler)
  }
}
