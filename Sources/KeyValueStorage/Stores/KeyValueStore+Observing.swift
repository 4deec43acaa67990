import Concurrency
import StorageInternals
import Synchronization

extension KeyValueStore {
  /// Calls a closure with the key after each change of a value, until the result is released.
  ///
  /// This object, another process, or an editor may have made the change. The closure runs on a
  /// thread of the store, in the order of the changes, and may use the store. In a forked child it
  /// is never called.
  public func observe(
    _ observer: @escaping @Sendable (_ key: String) -> Void
  ) -> KeyValueObservation {
    observe(nil, fromNow: false) { [hasVersion = version.number != 0] key, _ in
      // With a version, the key is the store's own.
      if !hasVersion || key != SettingsVersion.key { observer(key.string) }
    }
  }

  /// The keys whose values change, from now on.
  ///
  /// No key is left out, so a consumer that is slow, or none, lets memory grow. The sequence ends
  /// when the task of the consumer is cancelled, and at once in a forked child.
  public var changes: AsyncStream<String> {
    AsyncStream { continuation in
      let observation = observe { continuation.yield($0) }
      if Fork.isChild { continuation.finish() }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }

  /// Calls a handler after each change of a key, or of all keys for nil; on demand also for the
  /// value as it is now.
  func observe(
    _ key: StoredKey?, fromNow isFromNow: Bool, _ handler: @escaping KeyObservers.Handler
  ) -> KeyValueObservation {
    if Fork.isChild {
      Self.report(
        .unavailable(
          """
          Observers of \(name) hear nothing in a forked child, which has no thread for them. Call exec \
          in the child.
          """))
      return KeyValueObservation {}
    }
    loadIfNeeded()
    let isOver = CancellationFlag()
    let observer: KeyObservers.Handler = { if !isOver.isSet { handler($0, $1) } }
    let number = state.withLock { state in
      if let key, isFromNow {
        let value = state[key]
        state.observers.thread.run { observer(key, value) }
      }
      return state.observers.add(key, observer)
    }
    return KeyValueObservation { [weak self] in
      isOver.set()
      // Released outside of the lock, because what it captured may use the store.
      _ = self?.state.withLock { $0.observers.remove(number, of: key) }
    }
  }
}

private final class CancellationFlag: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() { flag.store(true, ordering: .releasing) }
}
