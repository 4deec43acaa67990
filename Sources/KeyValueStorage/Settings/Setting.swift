import Concurrency
import ValueFormats

/// The implementation of a ``StoredValue``.
///
/// It is not generic: looking up generic metadata takes ten times as long as the rest of a getter.
final class Setting: Sendable {
  let store: KeyValueStore
  /// The value, which properties of one key and type share if their default values have the same
  /// members.
  let declaration: Declaration
  private let defaultValue: AnyBox

  init<Value: Codable & Sendable>(_ key: String, defaultValue: Value, in store: KeyValueStore) {
    self.store = store
    self.defaultValue = Box(defaultValue)
    declaration = store.declaration(of: key, default: defaultValue)
  }

  var key: StoredKey { declaration.key }

  var value: AnyBox {
    if Fork.isChild { return defaultValue }
    let cached = store.state.withLock { state -> AnyBox? in
      guard declaration.cache.generation == state.generation else { return nil }
      return declaration.cache.valid ?? defaultValue
    }
    return cached ?? read().value
  }

  var isSet: Bool {
    if Fork.isChild { return false }
    store.loadIfNeeded()
    return store.state.withLock { $0.visible(key) } != nil
  }

  var error: KeyValueStoreError? {
    if Fork.isChild { return .forked }
    let decodingError = read().error
    return store.state.withLock { state in
      declaration.cache.rejection ?? decodingError ?? state.storingError(of: key)
    }
  }

  func load() throws(KeyValueStoreError) -> AnyBox {
    try store.read()
    let current = loadedValue()
    if let error = current.error { throw error }
    return current.value
  }

  /// A value, and the reason why it is the last valid one instead of the stored one.
  private typealias CurrentValue = (value: AnyBox, error: KeyValueStoreError?)

  private func read() -> CurrentValue {
    store.loadIfNeeded()
    return loadedValue()
  }

  /// Returns the value visible to this thread, without loading; decodes it only if it has changed.
  private func loadedValue() -> CurrentValue {
    let (pending, cached) = store.state.withLock { state -> (PendingValue?, CurrentValue?) in
      let encoded = state.visible(key)
      let generation = state.ownTransaction == nil ? state.generation : nil
      let isDecoded =
        generation.map { declaration.cache.findResult(for: encoded, in: $0) }
        ?? declaration.cache.hasResult(for: encoded)
      if !isDecoded {
        let pending = PendingValue(
          declaration: declaration, encoded: encoded, generation: generation)
        return (pending, nil)
      }
      declaration.cache.generation = state.sharedGeneration
      return (nil, (declaration.cache.valid ?? defaultValue, declaration.cache.error))
    }
    if let cached { return cached }
    let decoded = pending.flatMap { store.decode([$0]).first } ?? (nil, nil)
    if decoded.error == nil { return (decoded.value ?? defaultValue, nil) }
    let valid = store.state.withLock { _ in declaration.cache.valid }
    return (valid ?? defaultValue, decoded.error)
  }

  func save(_ value: some Codable & Sendable) throws(KeyValueStoreError) {
    try KeyValueStoreError.checkProcess()
    let encoded = try encode(value)
    setSaving((Box(value), encoded, false))
    defer { setSaving(nil) }
    try store.save(key, encoded)
    reject(nil)
  }

  /// Sets the value that the next write caches, so that no thread has to decode it.
  private func setSaving(_ saving: Declaration.Cache.Saving?) {
    let replaced = store.state.withLock { _ in exchange(&declaration.cache.saving, with: saving) }
    withExtendedLifetime(replaced) {}
  }

  func set(_ value: some Codable & Sendable) {
    if Fork.isChild { return KeyValueStore.onFailure(.forked) }
    do {
      assign(try encode(value), Box(value))
    } catch {
      reject(error)
      KeyValueStore.onFailure(error)
    }
  }

  func reset() {
    if Fork.isChild { return KeyValueStore.onFailure(.forked) }
    assign(nil, nil)
  }

  /// Sets the reason why the last assignment was rejected; nil if it was not.
  private func reject(_ error: KeyValueStoreError?) {
    store.state.withLock { state in
      declaration.cache.rejection = error
      state.notifyErrorObservers(of: key)
    }
  }

  /// Sets the key to an encoded value, or removes it for nil, and writes the change, unless a
  /// transaction or an in-place change of this thread will write it.
  private func assign(_ encoded: EncodedValue?, _ value: AnyBox?) {
    var begun: StoreState.UnsavedChanges?
    // It is released without the lock, because its `deinit` may use the store.
    var replaced: AnyBox?
    defer { withExtendedLifetime(replaced) {} }
    /// Returns whether to write; nil during an in-place change of another thread.
    func apply(_ state: inout StoreState) -> Bool? {
      if let thread = state.changingThread, thread != .current { return nil }
      if declaration.cache.rejection != nil { declaration.cache.rejection = nil }
      guard let generation = state.set(key, to: encoded) else {
        // The rejection has ended, although the value is not yet visible to other threads.
        state.notifyErrorObservers(of: key)
        return false
      }
      replaced = declaration.cache.valid
      declaration.cache.set(encoded, (value, nil), since: generation)
      // The thread of a transaction has its own value.
      declaration.cache.generation = state.transaction == nil ? generation : nil
      state.notifyErrorObservers(of: key)
      if state.changingThread != nil { return false }
      // A lock that is acquired here saves another lock of the state for the write.
      if store.delay == nil, store.writeLock.tryLock() { begun = state.unsaved }
      return true
    }
    let mustWrite =
      store.state.withLock { apply(&$0) }
      ?? store.propertyLock.withLock { store.state.withLock { apply(&$0) } }
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
    let mustWrite = store.state.withLock { state in
      // The rejection is set before the next change by another thread, whose success clears it. The
      // reason may be gone, because the file was read during the change.
      if case .failure(let error) = outcome, state.isCurrent(error, of: declaration) {
        declaration.cache.rejection = error
        state.notifyErrorObservers(of: key)
      }
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
  func observe<Value: Codable & Sendable>(
    _ type: Value.Type,
    _ observer: @escaping @Sendable (_ old: AnyBox?, _ new: AnyBox) -> Void
  ) -> KeyValueObservation {
    /// The last valid value, its bytes, those of a default value in place of an invalid one, and
    /// whether the observer was called with the value.
    typealias Last = (
      value: AnyBox, encoded: EncodedValue?, default: EncodedValue?, isKnown: Bool
    )
    var valid: (value: AnyBox?, encoded: EncodedValue?) = (nil, nil)
    if !Fork.isChild {
      // An invalid value is reported now instead of at the next get.
      _ = read()
      valid = store.state.withLock { _ in (declaration.cache.valid, declaration.cache.validBytes) }
    }
    let last = Lock<Last>((valid.value ?? defaultValue, valid.encoded?.copied, nil, false))
    return store.observe(key) { [declaration, defaultValue, coding = store.coding] _, encoded in
      let old = last.withLock { $0 }
      do throws(DecodingFailure) {
        // An invalid value may have been between two equal ones.
        if old.isKnown, old.encoded == encoded { return }
        // An invalid value may have been corrected to the default one.
        if let encoded, encoded == old.default { return }
        let value: AnyBox = if let encoded { try declaration.decode(encoded) } else { defaultValue }
        last.withLock { $0 = (value, encoded?.copied, nil, true) }
        observer(old.isKnown ? old.value : nil, value)
      } catch {
        // The store reports the error. The first change requires an old value.
        if old.isKnown { return }
        let value = old.encoded == nil ? (defaultValue as? Box<Value>)?.value : nil
        let encoded = value.flatMap { try? coding.encode($0, key: declaration.key.string) }
        last.withLock { ($0.default, $0.isKnown) = (encoded, true) }
        observer(nil, old.value)
      }
    }
  }

  /// Calls a closure with the error, if there is one, and with the new one, or nil, after a change.
  func observeErrors(_ handler: @escaping ErrorObserver.Handler) -> KeyValueObservation {
    if Fork.isChild {
      KeyValueStore.onFailure(.forked)
      return KeyValueObservation {}
    }
    let observer = Observer(handler)
    _ = read()
    store.state.withLock { state in
      state.errorObservers.append(ErrorObserver(declaration: declaration, observer: observer))
      state.notifyErrorObservers(of: key)
    }
    return KeyValueObservation(
      end: observer.end { [weak store] observer in
        store?.state.withLock { state in
          state.errorObservers.removeAll { $0.observer === observer }
        }
      })
  }
}

typealias AnyBox = any AnyObject & Sendable
