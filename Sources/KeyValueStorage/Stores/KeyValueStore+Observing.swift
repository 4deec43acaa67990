import Dispatch
import StorageInternals
import Synchronization

extension KeyValueStore {
  /// Calls a closure with the key after each change of a value, until the result is released.
  ///
  /// Whoever made the change: this object, another process, or an editor. The closure runs on a queue
  /// of the store, in the order of the changes, and may use the store.
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
  /// No key is left out, so a consumer that is slow, or none, lets memory grow. The sequence ends when
  /// the task of the consumer is cancelled.
  public var changes: AsyncStream<String> {
    AsyncStream { continuation in
      let observation = observe { continuation.yield($0) }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }

  /// Calls a handler after each change of a key, or of all keys for nil; on demand also for the value
  /// as it is now.
  func observe(
    _ key: StoredKey?, fromNow isFromNow: Bool, _ handler: @escaping KeyObservers.Handler
  ) -> KeyValueObservation {
    loadIfNeeded()
    let isOver = CancellationFlag()
    let observer: KeyObservers.Handler = { if !isOver.isSet { handler($0, $1) } }
    let number = state.withLock { state in
      if let key, isFromNow {
        let value = state[key]
        state.observers.queue.async { observer(key, value) }
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
