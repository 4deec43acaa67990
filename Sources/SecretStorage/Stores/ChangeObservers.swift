import Concurrency

/// The observers of the changes of a store.
///
/// The handlers of the app are called on a separate thread, one at a time. The prompt handlers of
/// this library are called before the call that makes the change returns. In a forked child, no
/// handlers are registered initially, and handlers are called on the thread of the change.
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

  /// Adds a handler that is called for each change, on its thread, which may hold locks.
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

/// A store that reports each change before the call that makes the change returns.
///
/// Otherwise, cached values would be stale until the handlers of the app are called.
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
    (self as? any PromptlyObservedStore)?.observeChangesPromptly(handler) ?? observeChanges(handler)
  }
}

/// An observation of the changes of a store.
///
/// It ends when it is cancelled or released, and does not retain the store.
public final class ChangeObservation: Sendable {
  private let lifetime: ObservationLifetime
  private let findProblem: @Sendable () -> SecretStoreError?

  /// Creates an observation.
  ///
  /// - Parameter end: A closure that ends the observation. Concurrent calls of ``cancel()`` may
  ///   call it more than once.
  public convenience init(end: @escaping @Sendable () -> Void) {
    self.init(problem: { nil }, end: end)
  }

  init(problem: @escaping @Sendable () -> SecretStoreError?, end: @escaping @Sendable () -> Void) {
    findProblem = problem
    lifetime = ObservationLifetime(end: end)
  }

  /// The reason why changes by other processes are reported with a delay; nil if they are not.
  var problem: SecretStoreError? { findProblem() }

  /// Ends the observation; further calls do nothing.
  ///
  /// A call of the handler that has begun on another thread may still be running.
  public func cancel() {
    lifetime.cancel()
  }
}

extension SecretStore {
  /// A sequence of the changes by any writer; changes are coalesced for a slow consumer.
  public var changes: AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let observation = observeChanges { continuation.yield() }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }
}
