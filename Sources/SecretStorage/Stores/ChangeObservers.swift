import Concurrency

extension SecretStore {
  /// An element for each change by any writer; a slow consumer gets only the newest.
  public var changes: AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let observation = observeChanges { continuation.yield() }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }
}

extension SecretStore {
  /// Calls a handler that only counts, as early as the store supports.
  func countChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    if let store = self as? any PromptlyObservedStore {
      return store.observeChangesPromptly(handler)
    }
    return observeChanges(handler)
  }
}

/// The handlers for the changes of one store.
///
/// The app's handlers run on a separate thread, one at a time, without blocking another thread, so
/// they may use the store and its properties. This library's handlers run before the call that
/// makes the change returns. A forked child begins without handlers, and has no other thread.
final class ChangeObservers: Sendable {
  private typealias List = Observers<@Sendable () -> Void>

  private struct State {
    var prompt = List()
    var queued = List()
    /// The observers that the thread will call; nil when no call is scheduled.
    var due: [Observer<@Sendable () -> Void>]?
  }

  private let state = Lock(State(), inForkedChild: { State() })
  private let thread = SerialThread()

  /// Calls a handler of the app after changes; several changes may be coalesced into one call.
  func add(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    add(handler, to: \.queued)
  }

  /// Calls a handler at each change, on the thread of the change, which may hold locks: the handler
  /// must return immediately and call neither the store nor the app.
  func addPrompt(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    add(handler, to: \.prompt)
  }

  private func add(
    _ handler: @escaping @Sendable () -> Void, to list: any WritableKeyPath<State, List> & Sendable
  ) -> ChangeObservation {
    let observer = Observer(handler)
    state.withLock { $0[keyPath: list].add(observer) }
    return ChangeObservation(
      end: observer.end { [state] observer in
        state.withLock { $0[keyPath: list].remove(observer) }
      })
  }

  /// Notifies all observers of a change.
  func notify() {
    for observer in state.withLock({ $0.prompt.all }) { observer.handler?() }
    let isScheduled = state.withLock { state in
      if state.queued.isEmpty { return true }
      defer { state.due = state.queued.all }
      return state.due != nil
    }
    if isScheduled { return }
    if Fork.isChild { callDue() } else { thread.run { self.callDue() } }
  }

  private func callDue() {
    for observer in state.withLock({ $0.due.take() }) ?? [] { observer.handler?() }
  }
}
