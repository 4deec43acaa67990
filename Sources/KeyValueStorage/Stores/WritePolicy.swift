import CLibrary
import Concurrency

/// The time at which a ``KeyValueStore`` writes properties.
public enum WritePolicy: Hashable, Sendable {
  /// A property's setter returns when the value is on disk.
  case durable
  /// A property's setter returns immediately, and the value is written after a delay.
  ///
  /// All changes within the delay are written together. They are written earlier by
  /// ``KeyValueStore/synchronize()``, by each transaction and each save that throws errors, when
  /// the store is released, and when the process exits normally. A process that is killed loses its
  /// unsaved changes, even if the cause is an unhandled SIGTERM.
  case coalesced(within: Duration)
}

/// The stores that may have unsaved changes when the process exits, and the flush at exit.
enum StoresToFlush {
  private struct Reference: Sendable {
    weak let store: KeyValueStore?
  }

  private static let stores = {
    atexit { StoresToFlush.flush() }
    // A child must not write its parent's changes.
    return Lock([Reference](), inForkedChild: { [] })
  }()

  static func add(_ store: KeyValueStore) {
    stores.withLock { stores in
      stores.removeAll { $0.store == nil }
      stores.append(Reference(store: store))
    }
  }

  /// The maximum time to wait for locks at exit, for all stores together.
  private static let timeout = Duration.seconds(1)

  private static func flush() {
    let stores = stores.withLock { $0.compactMap(\.store) }
    let deadline = ContinuousClock.now + timeout
    // If this thread is writing to a store, it is in the middle of a transaction, which must not be
    // written.
    for store in stores where !store.writing.isHeldByCurrentThread {
      store.flushAtExit(until: deadline)
    }
  }
}

extension KeyValueStore {
  /// Writes unsaved changes, and reports changes that could not be written by a deadline.
  fileprivate func flushAtExit(until deadline: ContinuousClock.Instant) {
    if state.withLock({ $0.unsaved.isEmpty }) { return }
    while !writing.tryToBegin() {
      // Within an in-place change, waiting for another thread's transaction may deadlock, because
      // that thread may wait for this change.
      if setting.isHeldByCurrentThread || .now >= deadline {
        return reportUnwritten(.unavailable("Another thread is writing to the store."))
      }
      usleep(1000)
    }
    defer { writing.end() }
    do {
      try flush(within: min(lockTimeout, max(.zero, deadline - .now)))
    } catch {
      reportUnwritten(error)
    }
  }
}
