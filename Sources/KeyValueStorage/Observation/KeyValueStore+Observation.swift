import Concurrency
import ValueFormats

// Observers of keys, and the sequence of changed keys.
extension KeyValueStore {
  /// Calls a closure with the key of each value that changes, until the result is released.
  ///
  /// The change may come from another process or an editor. The closure runs on a thread of the
  /// library, in the order of the changes, and may use the store. If it blocks, it delays only the
  /// observers of this store.
  public func observe(
    _ observer: @escaping @Sendable (_ key: String) -> Void
  ) -> KeyValueObservation {
    observe(nil) { [hasVersion = version.number != 0] key, _ in
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

  /// Calls a handler with the new value after each change of any key, or of one key, with whose
  /// current value it is called first.
  func observe(_ key: StoredKey?, _ handler: @escaping KeyObservers.Handler) -> KeyValueObservation
  {
    if Fork.isChild {
      Self.onFailure(.forked)
      return KeyValueObservation {}
    }
    loadIfNeeded()
    let observer = Observer(handler)
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

struct KeyObservers: Sendable {
  typealias Handler = @Sendable (_ key: StoredKey, _ value: EncodedValue?) -> Void

  /// The observers of each key; nil stands for all keys.
  private(set) var byKey: [StoredKey?: Observers<Handler>] = [:]
  let queue = SerialQueue(on: .handlers)

  mutating func add(_ observer: Observer<Handler>, of key: StoredKey?) {
    byKey[key, default: Observers()].add(observer)
  }

  mutating func remove(_ observer: Observer<Handler>, of key: StoredKey?) {
    byKey[key]?.remove(observer)
    if byKey[key]?.isEmpty ?? false { byKey[key] = nil }
  }

  /// Returns the observed keys whose values may differ between two states.
  func keysToCompare(_ before: StoreState, _ after: StoreState) -> Set<StoredKey> {
    var keys = Set(byKey.keys.compactMap { $0 })
    if byKey[nil] == nil { return keys }
    keys.formUnion(before.unsaved.keys)
    keys.formUnion(after.unsaved.keys)
    if before.contents?.revision != after.contents?.revision {
      for state in [before, after] { keys.formUnion(state.contents?.entries.map(\.key) ?? []) }
    }
    return keys
  }

  func notify(_ key: StoredKey, _ value: EncodedValue?) {
    let observers = [key, nil].flatMap { byKey[$0]?.all ?? [] }
    queue.run {
      for observer in observers { observer.handler?(key, value) }
    }
  }
}

/// An observation of a store or of one of its values.
///
/// The observation ends when ``cancel()`` is called or this object is released. It does not retain
/// the store.
public final class KeyValueObservation: Sendable {
  private let lifetime: ObservationLifetime
  /// Returns the reason why changes are reported with a delay; nil if they are not.
  let findError: @Sendable () -> KeyValueStoreError?

  /// Creates an observation with a closure that ends it, which concurrent calls of ``cancel()`` may
  /// call more than once.
  public convenience init(end: @escaping @Sendable () -> Void) {
    self.init(error: { nil }, end: end)
  }

  init(error: @escaping @Sendable () -> KeyValueStoreError?, end: @escaping @Sendable () -> Void) {
    findError = error
    lifetime = ObservationLifetime(end: end)
  }

  /// Ends the observation; further calls do nothing.
  ///
  /// A call of the handler that is running on another thread may still finish.
  public func cancel() { lifetime.cancel() }
}
