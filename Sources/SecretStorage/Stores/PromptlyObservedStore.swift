/// A store that reports each change to this library before the call that makes the change returns.
///
/// The handlers of the app run later, so that they may use the store. Properties that cache values
/// must not return stale ones until then.
package protocol PromptlyObservedStore: SecretStore {
  /// The number of times that the app has locked the store.
  var lockCount: UInt64 { get }

  /// Reports changes by other processes that would otherwise be reported with a delay.
  func reportDelayedChanges()

  /// Calls a handler after each change, on a thread that may hold locks.
  ///
  /// The handler must return immediately, and must call neither the store nor the app.
  func observeChangesPromptly(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation
}

extension PromptlyObservedStore {
  package var lockCount: UInt64 { 0 }

  package func reportDelayedChanges() {}
}

extension SecretStore {
  /// Observes changes with a handler that only counts them, as promptly as the store supports.
  func countChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    if let store = self as? any PromptlyObservedStore {
      return store.observeChangesPromptly(handler)
    }
    return observeChanges(handler)
  }
}
