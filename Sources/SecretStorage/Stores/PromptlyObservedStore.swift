/// A store that reports a change to this library before the call that makes the change returns.
///
/// The handlers of apps run later, so that they may use the store. A property that caches its value
/// must not return a stale one in the meantime.
package protocol PromptlyObservedStore: SecretStore {
  /// The number of times that the app has locked the store.
  var lockCount: UInt64 { get }

  /// Reports changes by other processes now, if they are reported with a delay otherwise.
  func reportDelayedChanges()

  /// Calls a handler at each change, on a thread that may hold locks. The handler must return
  /// immediately and call neither the store nor the app.
  func observeChangesPromptly(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation
}

extension PromptlyObservedStore {
  package var lockCount: UInt64 { 0 }

  package func reportDelayedChanges() {}
}
