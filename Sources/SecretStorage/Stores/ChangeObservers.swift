import Concurrency
import StorageInternals

/// The handlers that hear of the changes of one store.
///
/// Those of the app run on a thread of their own, one at a time, and no thread waits for them: they
/// may use the store and the properties that are in it. Those of this library run before the
/// change's call returns. A forked child begins without any, and has no other thread.
final class ChangeObservers: Sendable {
  private struct Handlers {
    var byNumber: [UInt64: @Sendable () -> Void] = [:]
    /// The number of the newest handler.
    var last: UInt64 = 0
    /// The newest handler that the thread is to call; nil when it is to call none.
    var due: UInt64?
  }

  private let prompt = Lock(Handlers(), inForkedChild: { Handlers() })
  private let queued = Lock(Handlers(), inForkedChild: { Handlers() })
  private let thread = SerialThread()

  /// Calls a handler of the app after changes, of which several may end in one call.
  func add(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    Self.add(handler, to: queued)
  }

  /// Calls a handler at each change, on the thread of the change, which may hold locks: it must
  /// return at once and call neither the store nor the app.
  func addPrompt(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    Self.add(handler, to: prompt)
  }

  private static func add(
    _ handler: @escaping @Sendable () -> Void, to handlers: Lock<Handlers>
  ) -> ChangeObservation {
    let number = handlers.withLock { handlers in
      handlers.last += 1
      handlers.byNumber[handlers.last] = handler
      return handlers.last
    }
    return ChangeObservation {
      // The handler is released outside of the lock, because what it captured may observe as well.
      _ = handlers.withLock { $0.byNumber.removeValue(forKey: number) }
    }
  }

  /// Tells all handlers of a change.
  func notify() {
    for handler in prompt.withLock({ Array($0.byNumber.values) }) { handler() }
    let isScheduled = queued.withLock { handlers in
      if handlers.byNumber.isEmpty { return true }
      defer { handlers.due = handlers.last }
      return handlers.due != nil
    }
    if isScheduled { return }
    if Fork.isChild { callDue() } else { thread.run { self.callDue() } }
  }

  private func callDue() {
    let numbers = queued.withLock { handlers in
      let due = handlers.due.take() ?? 0
      return handlers.byNumber.keys.filter { $0 <= due }.sorted()
    }
    for number in numbers {
      // A handler may have ended the observation of another.
      queued.withLock { $0.byNumber[number] }?()
    }
  }
}
