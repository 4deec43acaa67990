import Concurrency
import ValueFormats

/// The implementation of a ``StoredValue``.
///
/// The class is not generic: looking up generic metadata at run time takes ten times as long as the
/// rest of a getter.
final class Setting: Sendable {
  struct CachedValue: Sendable {
    /// The store's generation in which the value is valid; nil if each access must check.
    var generation: Int?
    var encoded: EncodedValue?
    let value: AnyBox
    let error: KeyValueStoreError?
  }

  private struct Cache: Sendable {
    private(set) var value: CachedValue?
    @ReportedError private var decodingError: KeyValueStoreError?
    /// The reason why the last assignment was rejected.
    var rejection: KeyValueStoreError? {
      didSet {
        // Any other reason lasts until the store can be read.
        if rejection == nil, let oldValue, case .unencodable = oldValue {
          KeyValueStore.didSucceed(after: [oldValue])
        }
      }
    }

    mutating func setValue(_ newValue: CachedValue) {
      if value?.error != nil || newValue.error != nil { decodingError = newValue.error }
      value = newValue
    }
  }

  let key: StoredKey
  let store: KeyValueStore
  private let defaultValue: AnyBox
  /// Decodes a value, or returns the default value for nil; must not retain the store.
  private let decode: @Sendable (EncodedValue?) throws(KeyValueStoreError) -> AnyBox
  // Guarded by the lock of `store.state`.
  @exclusivity(unchecked) private nonisolated(unsafe) var cache = Cache()

  init<Value: Codable & Sendable>(_ key: String, defaultValue: Value, in store: KeyValueStore) {
    self.key = StoredKey(key)
    self.store = store
    let (box, coding) = (Box(defaultValue), store.coding)
    self.defaultValue = box
    decode = { encoded throws(KeyValueStoreError) in
      guard let encoded else { return box }
      return Box(try coding.value(Value.self, from: encoded, key: key))
    }
  }

  var value: AnyBox {
    if Fork.isChild { return defaultValue }
    let cached = withCache { cache, state -> AnyBox? in
      guard let value = cache.value, value.generation == state.generation else { return nil }
      return value.value
    }
    return cached ?? read().value
  }

  @inline(__always)
  private func withCache<Result: Sendable>(
    _ body: (inout Cache, inout StoreState) -> Result
  ) -> Result {
    store.state.withLock { state in unsafe body(&cache, &state) }
  }

  var isSet: Bool {
    if Fork.isChild { return false }
    store.loadIfNeeded()
    return store.state.withLock { $0.visible(key) } != nil
  }

  var error: KeyValueStoreError? {
    if Fork.isChild { return .forked }
    let decodingError = read().error
    return withCache { cache, state in
      cache.rejection ?? decodingError ?? state.readError
        ?? (state.unsaved[key] == nil ? nil : state.writeError)
    }
  }

  func load() throws(KeyValueStoreError) -> AnyBox {
    try store.read()
    let current = read()
    if let error = current.error { throw error }
    return current.value
  }

  private func read() -> CachedValue {
    store.loadIfNeeded()
    return loadedValue()
  }

  /// Returns the value visible to this thread, without loading; decodes it only if it has changed.
  private func loadedValue() -> CachedValue {
    let (encoded, generation, cached) = withCache { cache, state in
      let encoded = state.visible(key)
      // While the newest value is unknown, each access loads again.
      let generation = state.needsReading ? nil : state.generation
      guard var cached = cache.value, cached.encoded == encoded else {
        return (encoded, generation, CachedValue?.none)
      }
      if state.transaction == nil {
        cached.generation = generation
        cached.encoded = encoded
        cache.setValue(cached)
      }
      return (encoded, generation, cached)
    }
    if let cached { return cached }

    // Outside the lock, because the `Decodable` code of the type may use the store.
    let decoded: CachedValue
    do {
      decoded = CachedValue(
        generation: generation, encoded: encoded, value: try decode(encoded), error: nil)
    } catch {
      KeyValueStore.onFailure(error)
      decoded = CachedValue(
        generation: generation, encoded: encoded, value: defaultValue, error: error)
    }
    withCache { cache, state in
      if state.transaction == nil, generation == nil || state.generation == generation {
        cache.setValue(decoded)
      }
    }
    return decoded
  }

  func save(_ value: some Codable & Sendable) throws(KeyValueStoreError) {
    try store.save(key, try encode(value))
    withCache { cache, _ in cache.rejection = nil }
  }

  func set(_ value: some Codable & Sendable) {
    if Fork.isChild { return KeyValueStore.onFailure(.forked) }
    do {
      assign(try encode(value), Box(value))
    } catch {
      withCache { cache, _ in cache.rejection = error }
      KeyValueStore.onFailure(error)
    }
  }

  func reset() {
    if Fork.isChild { return KeyValueStore.onFailure(.forked) }
    assign(nil, defaultValue)
  }

  /// Sets the key to an encoded value, or removes it for nil, and writes unless a transaction or an
  /// in-place change of this thread will.
  private func assign(_ encoded: EncodedValue?, _ value: AnyBox) {
    var begun: StoreState.UnsavedChanges?
    /// Returns whether to write; nil during an in-place change of another thread.
    func apply(_ cache: inout Cache, _ state: inout StoreState) -> Bool? {
      if let thread = state.changingThread, thread != .current { return nil }
      if cache.rejection != nil { cache.rejection = nil }
      guard let generation = state.set(key, to: encoded) else { return false }
      cache.setValue(
        CachedValue(generation: generation, encoded: encoded, value: value, error: nil))
      if state.changingThread != nil { return false }
      // Otherwise, the state would be locked again for the write.
      if store.delay == nil, store.writeLock.tryLock() { begun = state.unsaved }
      return true
    }
    let mustWrite = withCache(apply) ?? store.propertyLock.withLock { withCache(apply) }
    if mustWrite ?? false { store.flushOrSchedule(begun) }
  }

  /// An in-place change: the value to change, the reason to reject the change, because the value is
  /// not the stored one, and whether it is part of another change.
  typealias Change = (value: AnyBox, rejection: KeyValueStoreError?, isNested: Bool)

  func beginChange() -> Change {
    if Fork.isChild { return (value: defaultValue, rejection: .forked, isNested: false) }
    store.loadIfNeeded()
    store.propertyLock.lock()
    // Before the value: in between, another thread may read the contents, which ends the error.
    let (isNested, readError) = store.state.withLock { state in
      defer { state.changingThread = .current }
      let isNewest = state.ownTransaction != nil || state.unsaved[key] != nil
      return (state.changingThread != nil, isNewest ? nil : state.readError)
    }
    let current = loadedValue()
    return (current.value, current.error ?? readError, isNested)
  }

  func endChange(_ change: Change, _ value: some Codable & Sendable) {
    // Also if the change itself has forked.
    if Fork.isChild { return KeyValueStore.onFailure(.forked) }
    var failure = change.rejection
    if failure == nil {
      do {
        assign(try encode(value), Box(value))
      } catch {
        failure = error
      }
    }
    let mustWrite = withCache { cache, state in
      // Not later, because the next change by another thread may succeed, which ends the rejection.
      if let failure { cache.rejection = failure }
      if change.isNested { return false }
      state.changingThread = nil
      return state.ownTransaction == nil
    }
    store.propertyLock.unlock()
    if let failure { KeyValueStore.onFailure(failure) }
    if mustWrite { store.flushOrSchedule() }
  }

  /// Returns the encoded value; nil for a nil that is also the default value.
  private func encode<Value: Codable & Sendable>(
    _ value: Value
  ) throws(KeyValueStoreError) -> EncodedValue? {
    try store.coding.encode(
      value, key: key.string, default: (defaultValue as? Box<Value>)?.value)
  }

  /// Calls a closure with nil and the current value, and with two values after each change.
  func observe(
    _ observer: @escaping @Sendable (_ old: AnyBox?, _ new: AnyBox) -> Void
  ) -> KeyValueObservation {
    let previous = Lock(AnyBox?.none)
    return store.observe(key) { [decode, defaultValue] _, encoded in
      do {
        let value = try decode(encoded)
        let old = previous.withLock { previous in
          defer { previous = value }
          return previous
        }
        observer(old, value)
      } catch {
        // The next read reports the wrong type. The first change requires an old value.
        previous.withLock { $0 = $0 ?? defaultValue }
      }
    }
  }
}

typealias AnyBox = any AnyObject & Sendable
