import Synchronization

/// A handler, with the state of its observation.
package final class Observer<Handler> {
  private enum State: UInt8, AtomicRepresentable {
    case new
    case added
    case cancelled
  }

  private let registered: Handler
  private let state = Atomic(State.new)

  package init(_ handler: Handler) {
    registered = handler
  }

  /// The handler; nil after the observation has ended.
  package var handler: Handler? {
    state.load(ordering: .acquiring) == .cancelled ? nil : registered
  }

  /// Ends the observation: no new call of the handler begins.
  package func cancel() {
    state.store(.cancelled, ordering: .releasing)
  }

  /// Returns true at the first call, if the observation has not ended.
  fileprivate func add() -> Bool {
    state.compareExchange(expected: .new, desired: .added, ordering: .acquiringAndReleasing)
      .exchanged
  }
}

extension Observer: Sendable where Handler: Sendable {
  /// Returns a closure that ends the observation and removes the observer from its list.
  ///
  /// The closure does not retain the observer. It releases the handler after `remove` has returned,
  /// because the handler's captured objects may use the subject or end observations.
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

/// The observers of one subject, in the order of registration.
///
/// A lock of the subject guards the list. The handlers are called from a copy, without that lock.
package struct Observers<Handler> {
  package private(set) var all: [Observer<Handler>] = []

  package init() {}

  package var isEmpty: Bool { all.isEmpty }

  /// Adds an observer, unless it was added before or its observation has ended.
  package mutating func add(_ observer: Observer<Handler>) {
    if observer.add() { all.append(observer) }
  }

  package mutating func remove(_ observer: Observer<Handler>) {
    all.removeAll { $0 === observer }
  }
}

extension Observers: Sendable where Handler: Sendable {}

/// The implementation of the public observations of all modules.
///
/// It ends with `cancel()` or when it is released.
package final class ObservationLifetime: Sendable {
  private let end: @Sendable () -> Void
  private let hasEnded = Atomic(false)

  package init(end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit {
    cancel()
  }

  /// Ends the observation; further calls do nothing.
  package func cancel() {
    if hasEnded.load(ordering: .acquiring) { return }
    // A concurrent call also runs the closure: it must not return before the observation has ended.
    end()
    hasEnded.store(true, ordering: .releasing)
  }
}
