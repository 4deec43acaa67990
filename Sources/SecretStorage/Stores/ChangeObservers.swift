import Concurrency
import StorageInternals

/// The observers of changes to a store.
///
/// The app's handlers are called on another thread, one at a time, in the scopes of the task that
/// added them, and changes may be coalesced. Only this library adds synchronous handlers. They are
/// called for each change, on the thread that makes or detects it; that thread may hold locks.
final class ChangeObservers: Sendable {
  private typealias List = Observers<@Sendable () -> Void>

  private struct State {
    var synchronous = List()
    var asynchronous = List()
    /// The observers that the queue will call; nil if no call is scheduled.
    var pending: [Observer<@Sendable () -> Void>]?
  }

  private let state = Lock(State())
  let queue = SerialQueue(on: .handlers)

  func add(
    _ handler: @escaping @Sendable () -> Void, isSynchronous: Bool = false
  ) -> ChangeObservation {
    if Fork.isChild {
      Fork.report()
      return ChangeObservation {}
    }
    let scopes = StoreScopes.current
    let scopedHandler: @Sendable () -> Void = { scopes.run { handler() } }
    let observer = Observer(isSynchronous ? handler : scopedHandler)
    state.withLock { state in
      if isSynchronous { state.synchronous.add(observer) } else { state.asynchronous.add(observer) }
    }
    return ChangeObservation(
      end: observer.end { [state] observer in
        state.withLock { state in
          state.synchronous.remove(observer)
          state.asynchronous.remove(observer)
        }
      })
  }

  func notify() {
    for observer in state.withLock({ $0.synchronous.all }) { observer.handler?() }
    let needsCall = state.withLock { state in
      if state.asynchronous.isEmpty { return false }
      defer { state.pending = state.asynchronous.all }
      return state.pending == nil
    }
    guard needsCall else { return }
    queue.run { [state] in
      for observer in state.withLock({ $0.pending.take() }) ?? [] { observer.handler?() }
    }
  }
}
