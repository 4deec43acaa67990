import Concurrency
import StorageInternals

/// One key of a store as values of one type; what is behind a ``StoredValue``.
///
/// It is not generic, and holds the values as ``Kept`` objects: to find out about generic types
/// when the program runs takes ten times as long as all the rest of a get.
final class Setting: Sendable {
  /// What was decoded last, which holds as long as the key has the same encoded value.
  struct Known: Sendable {
    /// The generation of the store in which it is known to hold; nil if it must be looked up.
    var generation: Int?
    var encoded: EncodedValue?
    let value: AnyKept
    let error: KeyValueStoreError?
  }

  /// What is in memory of the setting in one process.
  private struct Memory: Sendable {
    var process = Fork.generation
    var known: Known?
    /// Why what was set last was not taken.
    var refusal: KeyValueStoreError?
  }

  let key: StoredKey
  let store: KeyValueStore
  let decoder: SettingDecoder
  private let removesNil: Bool
  // Guarded by the lock of the store's state.
  @exclusivity(unchecked) private nonisolated(unsafe) var memory = Memory()

  init<Value: Codable & Sendable>(
    _ key: String, defaultValue: Value, in store: KeyValueStore
  ) {
    self.key = StoredKey(key)
    self.store = store
    decoder = SettingDecoder(key, defaultValue: defaultValue, format: store.format)
    removesNil = (defaultValue as? any OptionalValue)?.isNil ?? false
  }

  var value: AnyKept {
    let current = withMemory { memory, state -> AnyKept? in
      guard let known = memory.known, known.generation == state.generation else { return nil }
      return known.value
    }
    return current ?? read().value
  }

  /// Locks the state of the store, which guards what is in memory.
  @inline(__always)
  private func withMemory<Result: Sendable>(
    _ body: (inout Memory, inout StoreState) -> Result
  ) -> Result {
    store.state.withLock { state in
      if unsafe memory.process != state.process {
        // In a forked child; the parent's is not released, because another thread may have been
        // changing it.
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
    try store.load()
    let known = read()
    if let error = known.error { throw error }
    return known.value
  }

  /// The value that this thread sees, after looking for a newer one if need be.
  private func read() -> Known {
    store.loadIfNeeded()
    return lookUp()
  }

  /// The value that this thread sees in memory, decoded if it is another one than before.
  private func lookUp() -> Known {
    let (encoded, generation, same) = withMemory { memory, state in
      let encoded = state.visible(key)
      // While the newest value is not known, each access looks for it.
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
      let value = try decoder.decode(encoded)
      read = Known(generation: generation, encoded: encoded, value: value, error: nil)
    } catch {
      KeyValueStore.report(error)
      read = Known(
        generation: generation, encoded: encoded, value: decoder.defaultValue, error: error)
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

  /// A change in place, while no other thread sets anything in the store.
  struct Change {
    let value: AnyKept
    /// Why the value is not the stored one, so that nothing may be made of it.
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
    store.writeSoon()
  }

  private func put(_ value: some Codable & Sendable) {
    do throws(KeyValueStoreError) {
      let encoded = try encode(value)
      let kept = Kept(value)
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
