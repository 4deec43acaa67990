import StorageInternals

/// One key of a store as values of one type; what is behind a ``StoredValue``.
///
/// It is not generic, and holds the values as ``Kept`` objects: to find out about generic types when
/// the program runs takes ten times as long as all the rest of a get.
final class Setting: Sendable {
  /// What was decoded last, which holds as long as the key has the same encoded value.
  struct Known: Sendable {
    var generation: Int
    var encoded: EncodedValue?
    let value: AnyKept
    let error: KeyValueStoreError?
  }

  let key: StoredKey
  let store: KeyValueStore
  let decoder: SettingDecoder
  private let removesNil: Bool
  // Reached only under the lock of the store's state, so that nobody else has access meanwhile.
  @exclusivity(unchecked) private nonisolated(unsafe) var known: Known?
  // As `known`.
  private nonisolated(unsafe) var refusal: KeyValueStoreError?

  init<Value: Codable & Sendable>(
    _ key: String, defaultValue: Value, in store: KeyValueStore
  ) {
    self.key = StoredKey(key)
    self.store = store
    decoder = SettingDecoder(key, defaultValue: defaultValue, format: store.format)
    removesNil = (defaultValue as? any OptionalValue)?.isNil ?? false
  }

  var value: AnyKept {
    let current = store.state.withLock { state -> AnyKept? in
      guard let known = unsafe known, known.generation == state.generation else { return nil }
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

  func load() throws(KeyValueStoreError) -> AnyKept {
    try store.load()
    let known = read()
    if let error = known.error { throw error }
    return known.value
  }

  /// The value that this thread sees, decoded if it is another one than before.
  private func read() -> Known {
    store.loadIfNeeded()
    let (encoded, generation, same) = store.state.withLock { state in
      let encoded = state.visible(key)
      guard var same = unsafe known, same.encoded == encoded else {
        return (encoded, state.generation, Known?.none)
      }
      if !state.isInTransaction {
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
      let value = try decoder.decode(encoded)
      read = Known(generation: generation, encoded: encoded, value: value, error: nil)
    } catch {
      KeyValueStore.report(error)
      read = Known(
        generation: generation, encoded: encoded, value: decoder.defaultValue, error: error)
    }
    store.state.withLock { state in
      if !state.isInTransaction, state.generation == generation { unsafe known = read }
    }
    return read
  }
}

extension Setting {
  func save(_ value: some Codable & Sendable) throws(KeyValueStoreError) {
    try store.save(key, try encode(value))
    store.state.withLock { _ in unsafe refusal = nil }
  }

  func set(_ value: some Codable & Sendable) {
    store.setting.begin()
    put(value)
    endSetting()
  }

  func reset() {
    store.setting.begin()
    store.put(key, nil)
    endSetting()
  }

  /// The value to be changed in place, while nobody else sets anything in the store.
  func beginChange() -> AnyKept {
    store.loadIfNeeded()
    store.setting.begin()
    return value
  }

  func endChange(_ value: some Codable & Sendable) {
    put(value)
    endSetting()
  }

  private func endSetting() {
    store.setting.end()
    store.writeSoon()
  }

  private func put(_ value: some Codable & Sendable) {
    do throws(KeyValueStoreError) {
      let encoded = try encode(value)
      let kept = Kept(value)
      store.put(key, encoded) { generation in
        unsafe refusal = nil
        guard let generation else { return }
        unsafe known = Known(generation: generation, encoded: encoded, value: kept, error: nil)
      }
    } catch {
      store.state.withLock { _ in unsafe refusal = error }
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
