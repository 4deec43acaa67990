import Concurrency
import ValueFormats

extension Setting {
  func save(_ value: some Codable & Sendable) throws(KeyValueStoreError) {
    store.loadLayers()
    let encoded = try encode(value)
    try store.save(key, encoded)
    didSave(value, encoded)
  }

  /// Records a value that has been saved as the last valid one, unless it has changed again.
  func didSave(_ value: some Codable & Sendable, _ encoded: EncodedValue?) {
    let resolved = withCache { cache, state in
      cache.rejection = nil
      let stored = state.contents.flatMap { $0.value(of: key, changedTo: encoded) }
      // A transaction may be discarded.
      if state.isInTransactionOfThisThread || state[key] != stored {
        return KeyValueStoreError?.none
      }
      return record(&cache, &state).accept(encoded == nil ? nil : Box(value), stored)
    }
    if let resolved { KeyValueStore.forget(resolved) }
  }

  func set(_ value: some Codable & Sendable) {
    store.loadLayers()
    store.propertyLock.lock()
    assign(value)
    unlockAndFlush()
  }

  func reset() {
    store.propertyLock.lock()
    let resolved = withCache { cache, state in
      cache.rejection = nil
      guard state.set(key, to: nil) != nil else { return KeyValueStoreError?.none }
      return record(&cache, &state).accept(nil, nil)
    }
    if let resolved { KeyValueStore.forget(resolved) }
    unlockAndFlush()
  }

  /// An in-place change, during which no other thread can set a property of the store.
  struct Change {
    let value: AnyBox
    /// The reason to reject the change: the value is not the stored one.
    let rejection: KeyValueStoreError?
    let process = Fork.generation
    let thread = ThreadIdentity.current
  }

  func beginChange() -> Change {
    store.loadIfNeeded()
    store.propertyLock.lock()
    let current = loadedValue()
    return Change(
      value: current.value,
      rejection: current.error ?? store.state.withLock { $0.readError(of: key) })
  }

  func endChange(_ change: Change, _ value: some Codable & Sendable) {
    if change.thread != .current, change.process == Fork.generation {
      fatalError(
        """
        An in-place change of a setting contains an await. Change a copy, and assign it afterwards.
        """)
    }
    let isForked = change.process != Fork.generation
    guard let rejection = change.rejection ?? (isForked ? .forkedDuring("an in-place change") : nil)
    else {
      assign(value)
      return unlockAndFlush()
    }
    // An invalid stored value remains the property's error until it is corrected.
    if !rejection.isOfContent { withCache { cache, _ in cache.rejection = rejection } }
    store.propertyLock.unlock()
    KeyValueStore.report(rejection)
  }

  private func unlockAndFlush() {
    store.propertyLock.unlock()
    store.flushOrSchedule()
  }

  private func assign(_ value: some Codable & Sendable) {
    do throws(KeyValueStoreError) {
      try store.requireNotOverridden(key)
      let encoded = try encode(value)
      let box = Box(value)
      let resolved = withCache { cache, state in
        cache.rejection = nil
        guard let generation = state.set(key, to: encoded) else { return KeyValueStoreError?.none }
        cache.value = CachedValue(
          generation: generation, encoded: encoded, value: box, error: nil)
        return record(&cache, &state).accept(encoded == nil ? nil : box, encoded)
      }
      if let resolved { KeyValueStore.forget(resolved) }
    } catch {
      withCache { cache, _ in cache.rejection = error }
      KeyValueStore.report(error)
    }
  }

  func encode<Value: Encodable>(
    _ value: Value
  ) throws(KeyValueStoreError) -> EncodedValue? {
    let tree = try store.format.tree(of: value, key: key.string)
    guard
      let stored = store.hidingLowerLayers(
        tree, of: Value.self, for: key, removesNil: property.removesNil)
    else { return nil }
    return ArraySlice(try store.format.bytes(of: stored, type: Value.self, key: key.string))
  }
}
