import Concurrency
import ValueFormats

extension KeyValueStore {
  /// Calls a closure with the key after each change of a value, until the result is released.
  ///
  /// The change may come from this object, another process, or an editor. The closure runs on a
  /// thread of the store, in the order of the changes, and may use the store. In a forked child it
  /// is never called.
  public func observe(
    _ observer: @escaping @Sendable (_ key: String) -> Void
  ) -> KeyValueObservation {
    observe(nil, fromNow: false) { [hasVersion = version.number != 0] key, _ in
      // With a version, the key `$version` is the store's own.
      if !hasVersion || key != SettingsVersion.key { observer(key.string) }
    }
  }

  /// The keys of all changes from now on.
  ///
  /// No key is left out, so memory grows if a consumer is slow or missing. The sequence ends when
  /// the consumer's task is cancelled, and at once in a forked child.
  public var changes: AsyncStream<String> {
    AsyncStream { continuation in
      let observation = observe { continuation.yield($0) }
      if Fork.isChild { continuation.finish() }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }

  /// Calls a handler after each change of a key, or of all keys for nil; optionally also with the
  /// current value.
  func observe(
    _ key: StoredKey?, fromNow isFromNow: Bool, _ handler: @escaping KeyObservers.Handler
  ) -> KeyValueObservation {
    if Fork.isChild {
      Self.report(
        .unavailable(
          """
          Observers of \(name) get no changes in a forked child, which has no thread for them. Call \
          exec in the child.
          """))
      return KeyValueObservation {}
    }
    loadIfNeeded()
    let observer = Observer(handler)
    state.withLock { state in
      if let key, isFromNow {
        let value = state[key]
        state.observers.thread.run { observer.handler?(key, value) }
      }
      state.observers.add(observer, of: key)
    }
    return KeyValueObservation(
      end: observer.end { [weak self] observer in
        self?.state.withLock { $0.observers.remove(observer, of: key) }
      })
  }
}

/// A set of changes that are made together: values to set and keys to remove.
public struct KeyValueChanges: Sendable {
  /// By key; nil means removal.
  private(set) var byKey: [StoredKey: EncodedValue?] = [:]

  /// Creates an empty set of changes.
  public init() {}

  init(_ byKey: [StoredKey: EncodedValue?]) {
    self.byKey = byKey
  }

  /// The number of keys to set or remove.
  public var count: Int { byKey.count }

  /// Whether there are no changes.
  public var isEmpty: Bool { byKey.isEmpty }

  /// The keys in no particular order, each with the new encoded value, or nil for its removal.
  public var all: [(key: String, value: EncodedValue?)] {
    byKey.map { ($0.key.string, $0.value) }
  }

  /// Sets a key to an encoded value, or removes it for nil.
  public mutating func set(_ key: String, to value: EncodedValue?) {
    self[StoredKey(key)] = .some(value)
  }

  /// The change of a key: a value, an inner nil for its removal, or nil for no change.
  subscript(key: StoredKey) -> EncodedValue?? {
    get { byKey[key] }
    set {
      if let newValue { byKey.updateValue(newValue, forKey: key) } else { byKey[key] = nil }
    }
  }
}

/// The observation of a store or of one of its values.
///
/// It ends with ``cancel()`` or when this object is released. It does not keep the store alive.
public final class KeyValueObservation: Sendable {
  private let lifetime: ObservationLifetime
  private let findProblem: @Sendable () -> KeyValueStoreError?

  /// Creates an observation that ends by calling a closure, which concurrent calls of ``cancel()``
  /// may call more than once.
  public convenience init(end: @escaping @Sendable () -> Void) {
    self.init(problem: { nil }, end: end)
  }

  init(
    problem: @escaping @Sendable () -> KeyValueStoreError?, end: @escaping @Sendable () -> Void
  ) {
    findProblem = problem
    lifetime = ObservationLifetime(end: end)
  }

  /// The reason why the handler is called with a delay; nil if there is none.
  var problem: KeyValueStoreError? { findProblem() }

  /// Ends the observation; further calls do nothing.
  ///
  /// A call of the observer that has begun on another thread may still finish.
  public func cancel() {
    lifetime.cancel()
  }
}

/// The observers of a store, each of one key or of all keys.
struct KeyObservers: Sendable {
  typealias Handler = @Sendable (_ key: StoredKey, _ value: EncodedValue?) -> Void

  /// By key; nil means all keys.
  private var byKey: [StoredKey?: Observers<Handler>] = [:]
  /// The thread of the handlers, which runs them in the order of the changes.
  let thread = SerialThread()

  var isEmpty: Bool { byKey.isEmpty }

  mutating func add(_ observer: Observer<Handler>, of key: StoredKey?) {
    byKey[key, default: Observers()].add(observer)
  }

  mutating func remove(_ observer: Observer<Handler>, of key: StoredKey?) {
    byKey[key]?.remove(observer)
    if byKey[key]?.isEmpty ?? false { byKey[key] = nil }
  }

  /// Returns the observed keys whose values may have changed.
  func concerned(by before: StoreState, _ after: StoreState) -> Set<StoredKey> {
    var keys = Set(byKey.keys.compactMap { $0 })
    if byKey[nil] == nil { return keys }
    keys.formUnion(before.unsaved.keys)
    keys.formUnion(after.unsaved.keys)
    keys.formUnion(KeyValueContents.keysThatDiffer(before.contents, after.contents))
    return keys
  }

  func announce(_ key: StoredKey, _ value: EncodedValue?) {
    let observers = [key, nil].flatMap { byKey[$0]?.all ?? [] }
    thread.run {
      for observer in observers { observer.handler?(key, value) }
    }
  }
}
