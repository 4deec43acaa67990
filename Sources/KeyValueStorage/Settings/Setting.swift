import Concurrency
import ValueFormats

/// The implementation of a ``StoredValue``: a key of a store whose values have one type.
///
/// The class is not generic and holds the values as ``Box`` objects: looking up generic metadata at
/// run time takes ten times as long as the rest of a getter.
final class Setting: Sendable {
  /// The most recently decoded value, which is valid while the key's encoded value is unchanged.
  struct CachedValue: Sendable {
    /// The store's generation in which the value is valid; nil if each access must check.
    var generation: Int?
    /// The revision of the contents from which the value was decoded.
    var revision: Int64?
    var encoded: EncodedValue?
    let value: AnyBox
    let error: KeyValueStoreError?
  }

  /// The cached state of the setting in one process.
  struct Cache: Sendable {
    var process = Fork.generation
    var value: CachedValue?
    /// The entry of the setting in the store's registry; nil in a forked child until it is needed.
    var record: PropertyRecord?
    /// The reason why the last assignment was rejected, unless the stored value is the reason.
    var rejection: KeyValueStoreError?
  }

  let key: StoredKey
  let store: KeyValueStore
  let property: Property
  // Guarded by the lock of `store.state`.
  @exclusivity(unchecked) private nonisolated(unsafe) var cache = Cache()

  init<Value: Codable & Sendable>(_ key: String, defaultValue: Value, in store: KeyValueStore) {
    self.key = StoredKey(key)
    self.store = store
    property = Property(key, defaultValue: defaultValue, format: store.format)
    withCache { cache, state in _ = record(&cache, &state) }
  }

  deinit {
    withCache { cache, _ in cache.record?.remove(property) }
  }

  var value: AnyBox {
    let cached = withCache { cache, state -> AnyBox? in
      guard let value = cache.value, value.generation == state.generation else { return nil }
      return value.value
    }
    return cached ?? read().value
  }

  /// Runs a closure under the lock of `store.state`, which guards `cache`.
  @inline(__always)
  func withCache<Result: Sendable>(
    _ body: (inout Cache, inout StoreState) -> Result
  ) -> Result {
    store.state.withLock { state in
      if unsafe cache.process != state.process {
        // The old cache is not released, because a thread may have been changing it at the fork.
        unsafe withUnsafeMutablePointer(to: &cache) { unsafe $0.initialize(to: Cache()) }
      }
      return unsafe body(&cache, &state)
    }
  }

  var isSet: Bool {
    store.loadIfNeeded()
    return store.state.withLock { $0.visible(key) } != nil
  }

  var error: KeyValueStoreError? {
    let decodingError = read().error
    return withCache { cache, state in
      cache.rejection ?? decodingError ?? store.layering?.conflict(of: key) ?? state.readError
        ?? (state.isUnsaved(key) ? state.writeError : nil)
    }
  }

  func load() throws(KeyValueStoreError) -> AnyBox {
    try store.read()
    let current = read()
    if let error = current.error ?? store.layering?.conflict(of: key) { throw error }
    return current.value
  }

  /// Returns the value visible to this thread, after loading a newer one if necessary.
  private func read() -> CachedValue {
    store.loadIfNeeded()
    return loadedValue()
  }

  /// Returns the value visible to this thread, without loading; decodes it only if it has changed.
  ///
  /// In newer contents, an invalid value is decoded again, because its position may have changed.
  func loadedValue() -> CachedValue {
    let (encoded, generation, revision, cached) = withCache { cache, state in
      let encoded = state.visible(key)
      // While the newest value is unknown, each access loads again.
      let generation = state.needsReading ? nil : state.generation
      let revision = state.contents?.revision
      guard var cached = cache.value, cached.encoded == encoded,
        cached.error == nil || cached.revision == revision
      else {
        return (encoded, generation, revision, CachedValue?.none)
      }
      if !state.isInTransaction {
        cached.generation = generation
        cached.encoded = encoded
        cache.value = cached
      }
      return (encoded, generation, revision, cached)
    }
    if let cached { return cached }

    store.layering?.declare(key)
    let (decoded, error) = store.decode(encoded, as: property)
    let (value, unreported, resolved) = withCache { cache, state in
      let record = record(&cache, &state)
      let value = CachedValue(
        generation: generation, revision: revision, encoded: encoded,
        value: decoded ?? record.lastValid ?? property.defaultValue, error: error)
      // Another thread may have changed the value in the meantime, and will decode it.
      guard state.visible(key) == encoded else {
        return (value, KeyValueStoreError?.none, KeyValueStoreError?.none)
      }
      if !state.isInTransaction, generation == nil || state.generation == generation {
        cache.value = value
      }
      // Only the thread of the transaction sees its values, and they may be discarded.
      if state.isInTransactionOfThisThread { return (value, nil, nil) }
      let (unreported, resolved) = state.recordDecoding(of: encoded, decoded, error, in: record)
      return (value, unreported, resolved)
    }
    if let resolved { KeyValueStore.forget(resolved) }
    if let unreported { KeyValueStore.report(unreported) }
    return value
  }

  /// Returns the entry of the setting in the store's registry, which it creates if necessary.
  func record(_ cache: inout Cache, _ state: inout StoreState) -> PropertyRecord {
    if let record = cache.record { return record }
    let record = state.add(property)
    cache.record = record
    return record
  }

  /// Calls a closure with the current value, and with the old and the new value after each change.
  ///
  /// While a stored value is invalid, the last valid one is the current value.
  func observe(
    _ observer: @escaping @Sendable (_ old: AnyBox?, _ new: AnyBox) -> Void
  ) -> KeyValueObservation {
    let lastValid = withCache { cache, state in record(&cache, &state).lastValid }
    let previous = Lock((encoded: EncodedValue?.none, value: AnyBox?.none))
    return store.observe(key, callingNow: true) {
      [property, format = store.format] _, _, encoded in
      let (oldEncoded, old) = previous.withLock { $0 }
      if old != nil, format.isSameValue(oldEncoded, encoded) { return }
      let new: AnyBox
      do {
        new = try property.decode(encoded, nil)
      } catch {
        // The store reports the error.
        if old != nil { return }
        new = lastValid ?? property.defaultValue
      }
      // A copy, because the value is a part of the whole file.
      previous.withLock { $0 = (encoded.map { EncodedValue(Array($0)) }, new) }
      // The stored text may differ in a way that only the type ignores, such as another time zone.
      if let old, property.areEqual(old, new) { return }
      observer(old, new)
    }
  }
}
