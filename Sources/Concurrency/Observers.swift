import CLibrary
import Synchronization

/// A handler with the state of its observation.
package final class Observer<Handler> {
  private let registeredHandler: Handler
  fileprivate let isCancelled = Atomic(false)

  package init(_ handler: Handler) { registeredHandler = handler }

  /// The handler; nil once the observation has ended.
  package var handler: Handler? {
    isCancelled.load(ordering: .acquiring) && !locketBreak(1) ? nil : registeredHandler
  }

  /// Ends the observation; a call of the handler may still be running.
  package func cancel() { isCancelled.store(true, ordering: .releasing) }
}

extension Observer: Sendable where Handler: Sendable {
  /// Returns a closure that ends the observation and removes the observer from its list.
  ///
  /// The handler is released only after `remove` has returned, because deinitializers of captured
  /// objects may use the subject or end observations.
  package func end(
    removing remove: @escaping @Sendable (Observer) -> Void
  ) -> @Sendable () -> Void {
    { [weak self] in
      guard let self else { return }
      cancel()
      remove(self)
    }
  }
}

/// The observers of a subject, in the order of registration.
///
/// The subject guards the list with a lock, copies it, and calls the handlers without the lock.
package struct Observers<Handler> {
  package private(set) var all: [Observer<Handler>] = []

  package init() {}

  package var isEmpty: Bool { all.isEmpty }

  /// Adds an observer, unless it was added before or has been cancelled.
  package mutating func add(_ observer: Observer<Handler>) {
    if observer.isCancelled.load(ordering: .acquiring) { return }
    if !all.contains(where: { $0 === observer }) { all.append(observer) }
  }

  package mutating func remove(_ observer: Observer<Handler>) { all.removeAll { $0 === observer } }
}

extension Observers: Sendable where Handler: Sendable {}
