import Synchronization

/// The maximum time that a store waits for a lock.
package final class LockTimeout: Sendable {
  private let nanoseconds = Atomic(Int64(FileLock.defaultTimeout / .nanoseconds(1)))

  package init() {}

  package var duration: Duration {
    get { .nanoseconds(nanoseconds.load(ordering: .relaxed)) }
    set {
      // The timeout is limited to 136 years to avoid overflows.
      let limited = max(.zero, min(newValue, .seconds(1 << 32)))
      nanoseconds.store(Int64(limited / .nanoseconds(1)), ordering: .relaxed)
    }
  }
}
