import Concurrency
import StorageInternals
import Synchronization
import ValueFormats

/// The implementation of a ``StoredValue``.
///
/// It is not generic: looking up generic metadata takes ten times as long as the rest of a getter.
final class Setting: Sendable {
  /// A decoded value, or the default value with the reason why decoding failed.
  struct CachedValue: Sendable {
    /// The store's generation in which the value is valid; nil if each access must check.
    var generation: Int?
    var encoded: EncodedValue?
    var value: AnyBox
    var error: KeyValueStoreError?
  }

  private struct Cache: Sendable {
    var value: CachedValue? {
      didSet { if decodingError != nil || value?.error != nil { decodingError = value?.error } }
    }
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
  }

  let key: StoredKey
  let store: KeyValueStore
  private let defaultValue: AnyBox
  /// Decodes a value, or returns the default value for nil; the closure must not retain the store.
  private let decode: @Sendable (EncodedValue?) throws(KeyValueStoreError) -> AnyBox
  /// Returns a setting with the same key and default value in another store; nil unless this one
  /// is declared in the standard store.
  let inStore: (@Sendable (KeyValueStore) -> Setting)?
  /// The setting in the store of `bootstrap(_:)`.
  private let bootstrapped = AtomicLazyReference<Setting>()
  // The cache is guarded by the lock of `store.state`.
  @exclusivity(unchecked) private nonisolated(unsafe) var cache = Cache()

  init<Value: Codable & Sendable>(_ key: String, defaultValue: Value, in store: KeyValueStore) {
    self.key = StoredKey(key)
    let isStandard = store === KeyValueStore.standard
    self.store = isStandard ? StandardStore.ofMachine : store
    inStore =
      isStandard
      ? { @Sendable store in Setting(key, defaultValue: defaultValue, in: store) } : nil
    let (box, coding) = (Box(defaultValue), self.store.coding)
    self.defaultValue = box
    decode = { encoded throws(KeyValueStoreError) in
      guard let encoded else { return box }
      return Box(try coding.value(Value.self, from: encoded, key: key))
    }
  }

  /// The setting to use instead of this one, in the store that takes the place of the machine's
  /// standard store; nil for this one.
  var substitute: Setting? {
    // The closure is retained only if it is called.
    guard inStore != nil, !StandardStore.isMachines, !Fork.isChild, let inStore else { return nil }
    if let scope = StandardStore.scope {
      return scope.store === store ? nil : scope.state(of: self, inStore)
    }
    return StandardStore.bootstrapped.map { store in
      bootstrapped.load() ?? bootstrapped.storeIfNil(inStore(store))
    }
  }

  var value: AnyBox {
    if Fork.isChild { return defaultValue }
    if inStore != nil, let substitute { return substitute.value }
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
        cache.value = cached
      }
      return (encoded, generation, cached)
    }
    if let cached { return cached }

    // The value is decoded outside the lock, because the type's `Decodable` code may use the store.
    var decoded = CachedValue(generation: generation, encoded: encoded, value: defaultValue)
    do {
      decoded.value = try decode(encoded)
    } catch {
      KeyValueStore.onFailure(error)
      decoded.error = error
    }
    withCache { cache, state in
      if state.transaction == nil, generation == nil || state.generation == generation {
        cache.value = decoded
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

  /// Sets the key to an encoded value, or removes it for nil, and writes the change, unless a
  /// transaction or an in-place change of this thread will write it.
  private func assign(_ encoded: EncodedValue?, _ value: AnyBox) {
    var begun: StoreState.UnsavedChanges?
    /// Returns whether to write; nil during an in-place change of another thread.
    func apply(_ cache: inout Cache, _ state: inout StoreState) -> Bool? {
      if let thread = state.changingThread, thread != .current { return nil }
      if cache.rejection != nil { cache.rejection = nil }
      guard let generation = state.set(key, to: encoded) else { return false }
      cache.value = CachedValue(generation: generation, encoded: encoded, value: value)
      if state.changingThread != nil { return false }
      // A lock that is acquired here saves another lock of the state for the write.
      if store.delay == nil, store.writeLock.tryLock() { begun = state.unsaved }
      return true
    }
    let mustWrite = withCache(apply) ?? store.propertyLock.withLock { withCache(apply) }
    if mustWrite ?? false { store.flushOrSchedule(begun) }
  }

  /// An in-place change: the value to change, the reason to reject the change if that value is not
  /// the stored one, and whether it is part of another change.
  typealias Change = (value: AnyBox, rejection: KeyValueStoreError?, isNested: Bool)

  func beginChange() -> Change {
    if Fork.isChild { return (value: defaultValue, rejection: .forked, isNested: false) }
    store.loadIfNeeded()
    store.propertyLock.lock()
    // The error is read first, because another thread may load in between and clear it.
    let (isNested, readError) = store.state.withLock { state in
      defer { state.changingThread = .current }
      let isNewest = state.ownTransaction != nil || state.unsaved[key] != nil
      return (state.changingThread != nil, isNewest ? nil : state.readError)
    }
    let current = loadedValue()
    return (current.value, current.error ?? readError, isNested)
  }

  func endChange(_ change: Change, _ value: some Codable & Sendable) {
    // The change itself may have forked.
    if Fork.isChild { return KeyValueStore.onFailure(.forked) }
    let outcome = Result { () throws(KeyValueStoreError) in
      if let rejection = change.rejection { throw rejection }
      assign(try encode(value), Box(value))
    }
    let mustWrite = withCache { cache, state in
      // The rejection is set before the next change by another thread, whose success clears it.
      if case .failure(let error) = outcome { cache.rejection = error }
      if change.isNested { return false }
      state.changingThread = nil
      return state.ownTransaction == nil
    }
    store.propertyLock.unlock()
    if case .failure(let error) = outcome { KeyValueStore.onFailure(error) }
    if mustWrite { store.flushOrSchedule() }
  }

  /// Returns the encoded value; nil if the value and the default value are both nil.
  private func encode<Value: Codable & Sendable>(
    _ value: Value
  ) throws(KeyValueStoreError) -> EncodedValue? {
    try store.coding.encode(
      value, key: key.string, default: (defaultValue as? Box<Value>)?.value)
  }

  /// Calls a closure with nil and the current value, then at each change with the old and new one.
  func observe(
    _ observer: @escaping @Sendable (_ old: AnyBox?, _ new: AnyBox) -> Void
  ) -> KeyValueObservation {
    let previous = Lock(AnyBox?.none)
    return store.observe(key) { [decode, defaultValue] _, encoded in
      do {
        let value = try decode(encoded)
        observer(previous.withLock { exchange(&$0, with: value) }, value)
      } catch {
        // The next read reports the wrong type. The first change requires an old value.
        previous.withLock { $0 = $0 ?? defaultValue }
      }
    }
  }
}

typealias AnyBox = any AnyObject & Sendable
