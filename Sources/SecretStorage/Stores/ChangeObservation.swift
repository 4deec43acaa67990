/// Keeps an observer of a store alive; releasing it ends the observation.
///
/// A call of the handler that has begun by then may go on a little longer.
public final class ChangeObservation: Sendable {
  private let end: @Sendable () -> Void

  /// Makes a token that calls a closure when it is released.
  public init(onEnd end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit {
    end()
  }
}

extension SecretStore {
  /// An element after each change that anybody made, the newest kept when the consumer is slow.
  public var changes: AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let observation = observeChanges { continuation.yield() }
      continuation.onTermination = { _ in _ = observation }
    }
  }
}

/// A store that tells this library of a change before the change's call returns.
///
/// The handlers of apps run later, so that they may use the store. A property that keeps its value
/// must not answer with the old one meanwhile.
package protocol PromptlyObservedStore: SecretStore {
  /// How often the app locked the store.
  var lockCount: UInt64 { get }

  /// Calls a handler at each change, on a thread that may hold locks: it must return at once and
  /// call neither the store nor the app.
  func observeChangesPromptly(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation
}

extension PromptlyObservedStore {
  package var lockCount: UInt64 { 0 }
}

extension SecretStore {
  /// Calls a handler that only counts, as soon as the store offers.
  func countChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    if let store = self as? any PromptlyObservedStore {
      return store.observeChangesPromptly(handler)
    }
    return observeChanges(handler)
  }
}
