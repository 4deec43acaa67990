import Concurrency

/// The observation of a store.
///
/// It ends with ``cancel()`` or when this object is released. It does not keep the store alive.
public final class ChangeObservation: Sendable {
  private let lifetime: ObservationLifetime
  private let findProblem: @Sendable () -> SecretStoreError?

  /// Creates an observation that ends by calling a closure, which concurrent calls of ``cancel()``
  /// may call more than once.
  public convenience init(end: @escaping @Sendable () -> Void) {
    self.init(problem: { nil }, end: end)
  }

  init(
    problem: @escaping @Sendable () -> SecretStoreError?, end: @escaping @Sendable () -> Void
  ) {
    findProblem = problem
    lifetime = ObservationLifetime(end: end)
  }

  /// The reason why changes by other processes are reported with a delay; nil if there is none.
  var problem: SecretStoreError? { findProblem() }

  /// Ends the observation; further calls do nothing.
  ///
  /// A call of the handler that has begun on another thread may still finish.
  public func cancel() {
    lifetime.cancel()
  }
}

extension SecretStore {
  /// An element for each change by any writer; a slow consumer gets only the newest.
  public var changes: AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let observation = observeChanges { continuation.yield() }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }
}

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
