import Synchronization

/// An observation that ends when it is cancelled or released.
///
/// The public observation types of all modules are built on it.
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
    // Concurrent calls may all run the closure, so that none returns before the observation has
    // ended.
    end()
    hasEnded.store(true, ordering: .releasing)
  }
}
