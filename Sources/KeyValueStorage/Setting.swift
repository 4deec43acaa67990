import Concurrency
import ValueFormats

/// A key of a store with values of one type; the implementation of a ``StoredValue``.
///
/// The class is not generic and holds the values as ``Box`` objects: a lookup of generic metadata
/// at run time takes ten times as long as the rest of a get.
final class Setting: Sendable {
  /// The value decoded last, valid as long as the key has the same encoded value.
  struct Known: Sendable {
    /// The store's generation in which the value is valid; nil if it must be looked up.
    var generation: Int?
    var encoded: EncodedValue?
    let value: AnyKept
    let error: KeyValueStoreError?
  }

  /// The cached state of the setting in one process.
  private struct Memory: Sendable {
    var process = Fork.generation
    var known: Known?
    /// The reason why the last set was rejected.
    var refusal: KeyValueStoreError?
  }

  let key: StoredKey
  let store: KeyValueStore
  private let defaultValue: AnyKept
  /// Returns the value of a key, or the default one if there is none.
  ///
  /// The closure does not retain the store, which may retain it.
  private let decode: @Sendable (EncodedValue?) throws(KeyValueStoreError) -> AnyKept
  private let removesNil: Bool
  // Guarded by the lock of `store.state`.
  @exclusivity(unchecked) private nonisolated(unsafe) var memory = Memory()

  init<Value: Codable & Sendable>(
    _ key: String, defaultValue: Value, in store: KeyValueStore
  ) {
    self.key = StoredKey(key)
    self.store = store
    let (kept, format) = (Box(defaultValue), store.format)
    self.defaultValue = kept
    decode = { encoded throws(KeyValueStoreError) in
      guard let encoded else { return kept }
      return Box(try format.value(Value.self, from: encoded, key: key))
    }
    removesNil = (defaultValue as? any OptionalValue)?.isNil ?? false
  }

  var value: AnyKept {
    let current = withMemory { memory, state -> AnyKept? in
      guard let known = memory.known, known.generation == state.generation else { return nil }
      return known.value
    }
    return current ?? read().value
  }

  /// Runs a closure under the lock of `store.state`, which guards `memory`.
  @inline(__always)
  private func withMemory<Result: Sendable>(
    _ body: (inout Memory, inout StoreState) -> Result
  ) -> Result {
    store.state.withLock { state in
      if unsafe memory.process != state.process {
        // In a forked child; the parent's memory is not released, because another thread may have
        // been changing it.
        unsafe withUnsafeMutablePointer(to: &memory) { unsafe $0.initialize(to: Memory()) }
      }
      return unsafe body(&memory, &state)
    }
  }

  var isSet: Bool {
    store.loadIfNeeded()
    return store.state.withLock { $0.visible(key) } != nil
  }

  var error: KeyValueStoreError? {
    let decodingError = read().error
    return withMemory { memory, state in
      memory.refusal ?? decodingError ?? state.readProblem
        ?? (state.isUnsaved(key) ? state.writeProblem : nil)
    }
  }

  func load() throws(KeyValueStoreError) -> AnyKept {
    try store.read()
    let known = read()
    if let error = known.error { throw error }
    return known.value
  }

  /// Returns the value visible to this thread, after reading a newer one if necessary.
  private func read() -> Known {
    store.loadIfNeeded()
    return lookUp()
  }

  /// Returns the cached value visible to this thread, decoded only if it has changed.
  private func lookUp() -> Known {
    let (encoded, generation, same) = withMemory { memory, state in
      let encoded = state.visible(key)
      // While the newest value is unknown, each access reads again.
      let generation = state.needsReading ? nil : state.generation
      guard var same = memory.known, same.encoded == encoded else {
        return (encoded, generation, Known?.none)
      }
      if !state.isInTransaction {
        same.generation = generation
        same.encoded = encoded
        memory.known = same
      }
      return (encoded, generation, same)
    }
    if let same { return same }

    // Outside of the lock, because the type's own code may use the store.
    let read: Known
    do {
      let value = try decode(encoded)
      read = Known(generation: generation, encoded: encoded, value: value, error: nil)
    } catch {
      KeyValueStore.report(error)
      read = Known(
        generation: generation, encoded: encoded, value: defaultValue, error: error)
    }
    withMemory { memory, state in
      if !state.isInTransaction, generation == nil || state.generation == generation {
        memory.known = read
      }
    }
    return read
  }
}

extension Setting {
  func save(_ value: some Codable & Sendable) throws(KeyValueStoreError) {
    try store.save(key, try encode(value))
    withMemory { memory, _ in memory.refusal = nil }
  }

  func set(_ value: some Codable & Sendable) {
    store.setting.begin()
    put(value)
    endSetting()
  }

  func reset() {
    store.setting.begin()
    withMemory { memory, state in
      _ = state.set(key, to: nil)
      memory.refusal = nil
    }
    endSetting()
  }

  /// A change in place, during which no other thread sets a property of the store.
  struct Change {
    let value: AnyKept
    /// The reason why the value is not the stored one, so that the change must be rejected.
    let refusal: KeyValueStoreError?
    let process = Fork.generation
  }

  func beginChange() -> Change {
    store.loadIfNeeded()
    store.setting.begin()
    let known = lookUp()
    return Change(
      value: known.value, refusal: known.error ?? store.state.withLock { $0.problem(of: key) })
  }

  func endChange(_ change: Change, _ value: some Codable & Sendable) {
    let isForked = change.process != Fork.generation
    guard let refusal = change.refusal ?? (isForked ? .forkedInside("a change in place") : nil)
    else {
      put(value)
      return endSetting()
    }
    withMemory { memory, _ in memory.refusal = refusal }
    store.setting.end()
    KeyValueStore.report(refusal)
  }

  private func endSetting() {
    store.setting.end()
    store.flushOrSchedule()
  }

  private func put(_ value: some Codable & Sendable) {
    do throws(KeyValueStoreError) {
      let encoded = try encode(value)
      let kept = Box(value)
      withMemory { memory, state in
        memory.refusal = nil
        guard let generation = state.set(key, to: encoded) else { return }
        memory.known = Known(generation: generation, encoded: encoded, value: kept, error: nil)
      }
    } catch {
      withMemory { memory, _ in memory.refusal = error }
      KeyValueStore.report(error)
    }
  }

  private func encode<Value: Encodable>(
    _ value: Value
  ) throws(KeyValueStoreError) -> EncodedValue? {
    let tree = try store.format.tree(of: value, key: key.string)
    if removesNil, tree == .null(depth: 0) { return nil }
    return ArraySlice(try store.format.bytes(of: tree, type: Value.self, key: key.string))
  }
}

extension Setting {
  /// Calls a closure with the current value, and with the old and the new value after each change.
  func observe(
    _ observer: @escaping @Sendable (_ old: AnyKept?, _ new: AnyKept) -> Void
  ) -> KeyValueObservation {
    let previous = Lock(AnyKept?.none)
    return store.observe(key, fromNow: true) { [decode, defaultValue] _, encoded in
      do {
        let value = try decode(encoded)
        let old = previous.withLock { previous in
          defer { previous = value }
          return previous
        }
        observer(old, value)
      } catch {
        // A value of another type is an error of the next read. If it is the current one, the old
        // value of the first change is the default value.
        previous.withLock { $0 = $0 ?? defaultValue }
      }
    }
  }
}

/// A value in an object, to be handled without knowledge of its type.
final class Box<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

typealias AnyKept = any AnyObject & Sendable
