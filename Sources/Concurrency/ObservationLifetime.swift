import Synchronization

/// The lifetime of an observation, which ends when it is cancelled or this object is released.
///
/// Each public type of observation contains one.
package final class ObservationLifetime: Sendable {
  private let end: @Sendable () -> Void
  private let hasEnded = Atomic(false)

  /// Creates the lifetime of an observation; concurrent calls of ``cancel()`` may each run `end`.
  package init(end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { cancel() }

  /// Ends the observation; further calls, and calls in a forked child, do nothing.
  package func cancel() {
    if hasEnded.load(ordering: .acquiring) || Fork.isChild { return }
    // Concurrent calls may all run `end`, so that none returns before the observation has ended.
    end()
    hasEnded.store(true, ordering: .releasing)
  }
}
