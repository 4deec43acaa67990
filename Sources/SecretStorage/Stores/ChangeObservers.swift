import StorageInternals

/// The handlers of everybody who observes one store.
final class ChangeObservers: Sendable {
  private struct Handlers {
    var byNumber: [UInt64: @Sendable () -> Void] = [:]
    var last: UInt64 = 0
  }

  private let handlers = Lock(Handlers(), inForkedChild: { Handlers() })

  func add(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    let number = handlers.withLock { handlers in
      handlers.last += 1
      handlers.byNumber[handlers.last] = handler
      return handlers.last
    }
    return ChangeObservation { [self] in
      // The handler is released outside of the lock, because what it captured may observe as well.
      _ = handlers.withLock { $0.byNumber.removeValue(forKey: number) }
    }
  }

  /// Calls every handler; the store's own lock must not be held.
  func notify() {
    for handler in handlers.withLock({ Array($0.byNumber.values) }) { handler() }
  }
}
