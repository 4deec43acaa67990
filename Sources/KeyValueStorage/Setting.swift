import StorageInternals

/// One key of a store as values of one type; what is behind a ``StoredValue``.
final class Setting<Value: Codable & Sendable>: Sendable {
  /// What was decoded last, which holds as long as the key has the same encoded value.
  private struct Known: Sendable {
    var generation: Int
    var encoded: EncodedValue?
    let value: Value
    let error: KeyValueStoreError?
  }

  let key: StoredKey
  let store: KeyValueStore
  let defaultValue: Value
  private let removesNil: Bool
  // Reached only under the lock of the store's state.
  private nonisolated(unsafe) var known: Known?
  // As `known`.
  private nonisolated(unsafe) var refusal: KeyValueStoreError?

  init(_ key: String, defaultValue: Value, in store: KeyValueStore) {
    self.key = StoredKey(key)
    self.store = store
    self.defaultValue = defaultValue
    removesNil = (defaultValue as? any OptionalValue)?.isNil ?? false
  }

  var value: Value {
    let current = store.state.withLock { state -> Value? in
      guard let known = unsafe known, known.generation == state.generation,
        state.transaction == nil
      else { return nil }
      return known.value
    }
    return current ?? read().value
  }

  var isSet: Bool {
    store.loadIfNeeded()
    return store.state.withLock { $0.visible(key) } != nil
  }

  var error: KeyValueStoreError? {
    let decodingError = read().error
    return store.state.withLock { state in
      unsafe refusal ?? decodingError ?? state.readProblem
        ?? (state.isUnsaved(key) ? state.writeProblem : nil)
    }
  }

  func load() throws(KeyValueStoreError) -> Value {
    try store.load()
    let known = read()
    if let error = known.error { throw error }
    return known.value
  }

  func save(_ value: Value) throws(KeyValueStoreError) {
    try store.save(key, try encode(value))
    store.state.withLock { _ in unsafe refusal = nil }
  }

  func set(_ value: Value) {
    store.setting.begin()
    put(value)
    endSetting()
  }

  func set(encoded: EncodedValue?) {
    store.setting.begin()
    store.put(key, encoded)
    endSetting()
  }

  /// The value to be changed in place, while nobody else sets anything in the store.
  func beginChange() -> Value {
    store.loadIfNeeded()
    store.setting.begin()
    return value
  }

  func endChange(_ value: Value) {
    put(value)
    endSetting()
  }

  private func endSetting() {
    store.setting.end()
    store.writeSoon()
  }

  private func put(_ value: Value) {
    do throws(KeyValueStoreError) {
      let encoded = try encode(value)
      store.put(key, encoded) { generation in
        unsafe refusal = nil
        guard let generation else { return }
        unsafe known = Known(
          generation: generation, encoded: encoded, value: value, error: nil)
      }
    } catch {
      store.state.withLock { _ in unsafe refusal = error }
      KeyValueStore.report(error)
    }
  }

  /// The value that this thread sees, decoded if it is another one than before.
  private func read() -> Known {
    store.loadIfNeeded()
    let (encoded, generation, same) = store.state.withLock { state in
      let encoded = state.visible(key)
      guard var same = unsafe known, same.encoded == encoded else {
        return (encoded, state.generation, Known?.none)
      }
      if state.transaction == nil {
        same.generation = state.generation
        same.encoded = encoded
        unsafe known = same
      }
      return (encoded, state.generation, same)
    }
    if let same { return same }

    // Outside of the lock, because the type's own code may use the store.
    let read: Known
    do {
      let value = try decode(encoded)
      read = Known(generation: generation, encoded: encoded, value: value, error: nil)
    } catch {
      KeyValueStore.report(error)
      read = Known(generation: generation, encoded: encoded, value: defaultValue, error: error)
    }
    store.state.withLock { state in
      if state.transaction == nil, state.generation == generation { unsafe known = read }
    }
    return read
  }

  private func encode(_ value: Value) throws(KeyValueStoreError) -> EncodedValue? {
    let tree = try store.format.tree(of: value, key: key.string)
    if removesNil, tree == .null(depth: 0) { return nil }
    return ArraySlice(try store.format.bytes(of: tree, type: Value.self, key: key.string))
  }

  func decode(_ encoded: EncodedValue?) throws(KeyValueStoreError) -> Value {
    guard let encoded else { return defaultValue }
    return try store.format.value(Value.self, from: encoded, key: key.string)
  }
}
