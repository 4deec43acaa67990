import Concurrency
import StorageInternals
import ValueFormats

extension KeyValueStore {
  /// Calls a closure with the key of each value that changes, until the result is released.
  ///
  /// Another notation of the same value, such as `1.0` for `1` or other white space, is no change.
  /// The change may come from this store, another process, or an editor. The closure runs on a
  /// thread of the store, in the order of the changes, and may use the store. In a forked child, it
  /// is never called.
  public func observe(
    _ observer: @escaping @Sendable (_ key: String) -> Void
  ) -> KeyValueObservation {
    observe(nil) { [hasVersion = version.number != 0, format] key, old, new in
      // In a store with a version, the key `$version` is reserved.
      if hasVersion, key == SettingsVersion.key { return }
      if !format.isSameValue(old, new) { observer(key.string) }
    }
  }

  /// A sequence of the keys of all values that change from now on.
  ///
  /// The sequence buffers every key until it is consumed, so memory use grows if the consumer is
  /// slow or missing. The sequence ends when the consumer's task is cancelled, and immediately in a
  /// forked child.
  public var changes: AsyncStream<String> {
    AsyncStream { continuation in
      let observation = observe { continuation.yield($0) }
      if Fork.isChild { continuation.finish() }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }

  /// Calls a handler with the values before and after each change of a key, or of any key if `key`
  /// is nil; they may be different notations of one value.
  ///
  /// If `callingNow` is true, also calls the handler of a single key with the current value.
  func observe(
    _ key: StoredKey?, callingNow: Bool = false, _ handler: @escaping KeyObservers.Handler
  ) -> KeyValueObservation {
    if Fork.isChild {
      Self.report(
        .unavailable(
          """
          Observers of \(name) are not notified in a forked child, which has no thread for them. \
          Call exec in the child.
          """))
      return KeyValueObservation {}
    }
    loadIfNeeded()
    // The scope retains the store until the observation ends.
    let scope = Self.defaultStore.taskScope
    let observer = Observer<KeyObservers.Handler> { key, old, new in
      Self.defaultStore.withScope(scope) { handler(key, old, new) }
    }
    state.withLock { state in
      if let key, callingNow {
        let value = state[key]
        state.observers.thread.run { observer.handler?(key, nil, value) }
      }
      state.observers.add(observer, of: key)
    }
    return KeyValueObservation(
      end: observer.end { [weak self] observer in
        self?.state.withLock { $0.observers.remove(observer, of: key) }
      })
  }
}

/// The observers of a store's keys.
struct KeyObservers: Sendable {
  typealias Handler =
    @Sendable (
      _ key: StoredKey, _ old: EncodedValue?, _ new: EncodedValue?
    ) -> Void

  /// The observers of each key; nil stands for all keys.
  private var byKey: [StoredKey?: Observers<Handler>] = [:]
  /// The thread that runs the handlers, in the order of the changes.
  let thread = SerialThread()

  var isEmpty: Bool { byKey.isEmpty }

  mutating func add(_ observer: Observer<Handler>, of key: StoredKey?) {
    byKey[key, default: Observers()].add(observer)
  }

  mutating func remove(_ observer: Observer<Handler>, of key: StoredKey?) {
    byKey[key]?.remove(observer)
    if byKey[key]?.isEmpty ?? false { byKey[key] = nil }
  }

  /// Whether a key has observers.
  func contains(_ key: StoredKey) -> Bool { byKey[nil] != nil || byKey[key] != nil }

  /// Returns the observed keys whose values may differ after other contents were adopted.
  func keysToCompare(
    _ before: KeyValueContents?, _ after: KeyValueContents?, _ saved: some Sequence<StoredKey>
  ) -> Set<StoredKey> {
    if isEmpty { return [] }
    // Looking up a few keys is faster than comparing all entries of a file.
    if byKey[nil] == nil, byKey.count <= 16 { return Set(byKey.keys.compactMap { $0 }) }
    return Set(KeyValueContents.changedKeys(before, after)).union(saved)
  }

  func notify(_ key: StoredKey, from old: EncodedValue?, to new: EncodedValue?) {
    let observers = [key, nil].flatMap { byKey[$0]?.all ?? [] }
    thread.run {
      for observer in observers { observer.handler?(key, old, new) }
    }
  }
}

/// An observation of a store or of one of its values.
///
/// The observation ends when ``cancel()`` is called or this object is released. It does not retain
/// the store, except within `KeyValueStore.withStandard(_:operation:)` the standard one.
public final class KeyValueObservation: Sendable {
  private let lifetime: ObservationLifetime
  private let findError: @Sendable () -> KeyValueStoreError?

  /// Creates an observation.
  ///
  /// - Parameter end: Ends the observation. Concurrent calls to ``cancel()`` may call it more than
  ///   once.
  public convenience init(end: @escaping @Sendable () -> Void) {
    self.init(error: { nil }, end: end)
  }

  package init(
    error: @escaping @Sendable () -> KeyValueStoreError?, end: @escaping @Sendable () -> Void
  ) {
    findError = error
    lifetime = ObservationLifetime(end: end)
  }

  /// The reason why changes are reported with a delay; nil if they are not.
  var error: KeyValueStoreError? { findError() }

  /// Ends the observation; further calls do nothing.
  ///
  /// A call to the handler that is running on another thread may still finish.
  public func cancel() { lifetime.cancel() }
}
