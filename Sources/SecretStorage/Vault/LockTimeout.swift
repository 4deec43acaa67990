import StorageInternals
import Synchronization

/// How long a vault's writers wait for a lock, which the app may change at any time.
final class LockTimeout: Sendable {
  private let nanoseconds = Atomic(Int64(FileLock.defaultTimeout / .nanoseconds(1)))

  var duration: Duration {
    get { .nanoseconds(nanoseconds.load(ordering: .relaxed)) }
    set {
      // No process lives longer, and no calculation overflows.
      let limited = max(.zero, min(newValue, .seconds(1 << 32)))
      nanoseconds.store(Int64(limited / .nanoseconds(1)), ordering: .relaxed)
    }
  }
}
