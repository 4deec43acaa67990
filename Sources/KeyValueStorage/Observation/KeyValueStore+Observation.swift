import Concurrency
import StorageInternals
import ValueFormats

// Observing keys, and the sequence of changed keys.
extension KeyValueStore {
  /// Calls a closure with the key of each value that changes, until the result is released.
  ///
  /// Another notation of the same value is no change, unless the value takes more than 1 MiB.
  /// A change may come from another process or an editor. The closure runs on a thread of the
  /// library, in the order of the changes, and may use the store. If it blocks, it delays only the
  /// observers of this store. In a forked child, it is never called.
  public func observe(
    _ observer: @escaping @Sendable (_ key: String) -> Void
  ) -> KeyValueObservation {
    let store = substitute ?? self
    return store.observe(nil) { [hasVersion = store.version.number != 0] key, _ in
      // In a store with a version, the key `$version` is reserved.
      if !hasVersion || key != SettingsVersion.key { observer(key.string) }
    }
  }

  /// A sequence of the keys of all values that change from now on.
  ///
  /// The sequence buffers every key until it is consumed. It ends when the consumer's task is
  /// cancelled, and immediately in a forked child.
  public var changes: AsyncStream<String> {
    AsyncStream { continuation in
      let observation = observe { continuation.yield($0) }
      if Fork.isChild { continuation.finish() }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }

  /// Calls a handler with the current value of a key, and with the new value after each change.
  ///
  /// If the key is nil, the handler is called only after each change of any key.
  func observe(_ key: StoredKey?, _ handler: @escaping KeyObservers.Handler) -> KeyValueObservation
  {
    if Fork.isChild {
      Self.onFailure(.forked)
      return KeyValueObservation {}
    }
    loadIfNeeded()
    let scopes = StoreScopes.current
    let observer = Observer<KeyObservers.Handler> { key, value in
      scopes.run { handler(key, value) }
    }
    state.withLock { state in
      if let key {
        let value = state[key]
        state.observers.queue.run { observer.handler?(key, value) }
      }
      state.observers.add(observer, of: key)
    }
    return KeyValueObservation(
      end: observer.end { [weak self] observer in
        self?.state.withLock { $0.observers.remove(observer, of: key) }
      })
  }
}
