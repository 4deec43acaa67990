import Concurrency

/// The observers of the changes of a store.
///
/// The handlers of the app are called on a separate thread, one at a time, so they may use the
/// store and its properties. The prompt handlers of this library are called before the call that
/// makes the change returns. In a forked child, no handlers are registered initially, and handlers
/// are called on the thread of the change.
final class ChangeObservers: Sendable {
  private typealias List = Observers<@Sendable () -> Void>

  private struct State {
    var prompt = List()
    var queued = List()
    /// The observers that the thread will call; nil if no call is scheduled.
    var due: [Observer<@Sendable () -> Void>]?
  }

  private let state = Lock(State(), inForkedChild: { State() })
  private let thread = SerialThread()

  /// Adds a handler of the app; several changes may be coalesced into one call.
  func add(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    add(handler, to: \.queued)
  }

  /// Adds a handler that is called for each change, on the thread of the change.
  ///
  /// Because the thread may hold locks, the handler must return immediately, and must call neither
  /// the store nor the app.
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
