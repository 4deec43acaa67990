import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The stores that may have something to write when the process exits.
enum StoresToFlush {
  private struct Reference: Sendable {
    weak let store: KeyValueStore?
  }

  private static let stores = {
    atexit { StoresToFlush.flush() }
    // A child has nothing to write for its parent.
    return Lock([Reference](), inForkedChild: { [] })
  }()

  static func add(_ store: KeyValueStore) {
    stores.withLock { stores in
      stores.removeAll { $0.store == nil }
      stores.append(Reference(store: store))
    }
  }

  /// How long the end of a process may wait for locks, in all.
  private static let patience = Duration.seconds(1)

  private static func flush() {
    let stores = stores.withLock { $0.compactMap(\.store) }
    let deadline = ContinuousClock.now + patience
    // A store that this thread is writing to right now is in the middle of a transaction, which is
    // not to be written.
    for store in stores where !store.writing.isMine { store.flushAtExit(until: deadline) }
  }
}

extension KeyValueStore {
  /// Writes what is unsaved, and tells of what could not be written by a deadline.
  fileprivate func flushAtExit(until deadline: ContinuousClock.Instant) {
    if state.withLock({ $0.unsaved.isEmpty }) { return }
    while !writing.tryToBegin() {
      // In the middle of a change in place, to wait for another thread's transaction could be to
      // wait for one that waits for this change.
      if setting.isMine || .now >= deadline {
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
