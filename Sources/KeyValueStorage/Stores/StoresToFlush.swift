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
    return Lock([Reference]())
  }()

  static func add(_ store: KeyValueStore) {
    stores.withLock { stores in
      stores.removeAll { $0.store == nil }
      stores.append(Reference(store: store))
    }
  }

  private static func flush() {
    let stores = stores.withLock { $0.compactMap(\.store) }
    // One that this thread is writing to right now is in the middle of a transaction, which is not to
    // be written.
    for store in stores where !store.writing.isMine {
      if !store.setting.isMine {
        store.flushInBackground()
      } else if store.writing.tryToBegin() {
        // In the middle of a change in place, to wait for another thread's transaction could be to
        // wait for one that waits for this change.
        store.flushInBackground()
        store.writing.end()
      }
    }
  }
}
