import Concurrency
import StorageInternals
import Synchronization
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
  /// Returns a setting with the same key and default value in another store; nil unless this one
  /// is declared in the standard store.
  let inStore: (@Sendable (KeyValueStore) -> Setting)?
  /// The setting in the store of `bootstrap(_:)`.
  private let bootstrapped = AtomicLazyReference<Setting>()

  init<Value: Codable & Sendable>(
    _ key: String, defaultValue: Value, in store: KeyValueStore,
    validating check: ValueCheck<Value>?
  ) {
    if let message = check?(defaultValue) { refuseDefault(of: key, message) }
    let isStandard = store === KeyValueStore.standard
    self.store = isStandard ? StandardStore.ofMachine : store
    inStore =
      isStandard
      ? { @Sendable store in
        Setting(key, defaultValue: defaultValue, in: store, validating: check)
      } : nil
    self.defaultValue = Box(defaultValue)
    declaration = self.store.declaration(of: key, default: defaultValue, validating: check)
  }

  var key: StoredKey { declaration.key }

  /// The setting to use instead of this one, in the store that takes the place of the machine's
  /// standard store; nil for this one.
  var substitute: Setting? {
    // The closure is retained only if it is called.
    guard inStore != nil, !StandardStore.isMachines, !Fork.isChild else { return nil }
    if let scope = StandardStore.scope {
      guard let inStore, scope.store !== store else { return nil }
      return scope.state(of: self, inStore)
    }
    if let setting = bootstrapped.load() { return setting }
    guard let store = StandardStore.bootstrapped, let inStore else { return nil }
    return bootstrapped.storeIfNil(inStore(store))
  }

  var value: AnyBox {
    if Fork.isChild { return defaultValue }
    if inStore != nil, let substitute { return substitute.value }
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
    return store.state.withLock { $0.error(of: declaration, decoding: decodingError) }
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
    let encoded: EncodedValue?
    do throws(KeyValueStoreError) {
      encoded = try encode(value)
    } catch {
      store.state.withLock { $0.reject(error, of: declaration) }
      throw error
    }
    setSaving((Box(value), encoded, false))
    defer { setSaving(nil) }
    try store.save(key, encoded)
    store.state.withLock { $0.reject(nil, of: declaration) }
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
      store.state.withLock { state in
        state.reject(error, of: declaration)
        state.failTransaction(error)
      }
      KeyValueStore.onFailure(error)
    }
  }

  func reset() {
    if Fork.isChild { return KeyValueStore.onFailure(.forked) }
    assign(nil, nil)
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
      if declaration.cache.rejection != nil { declaration.cache.reject(nil) }
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
  /// the stored one, a new failure of loading it, and whether it is part of another change.
  typealias Change = (
    value: AnyBox, rejection: KeyValueStoreError?, loadError: KeyValueStoreError?, isNested: Bool
  )

  func beginChange() -> Change {
    if Fork.isChild { return (defaultValue, .forked, nil, isNested: false) }
    // It is reported at the end, because it usually is the reason to reject the change.
    let loadError = store.newLoadError()
    store.propertyLock.lock()
    // The error is read first, because another thread may load in between and clear it.
    let (isNested, readError) = store.state.withLock { state in
      defer { state.changingThread = .current }
      let isNewest = state.ownTransaction != nil || state.unsaved[key] != nil
      return (state.changingThread != nil, isNewest ? nil : state.readError)
    }
    let current = loadedValue()
    return (current.value, readError ?? current.error, loadError, isNested)
  }

  func endChange(_ change: Change, _ value: some Codable & Sendable) {
    // The change itself may have forked.
    if Fork.isChild { return KeyValueStore.onFailure(.forked) }
    let outcome = Result { () throws(KeyValueStoreError) in
      if let rejection = change.rejection { throw rejection }
      assign(try encode(value), Box(value))
    }
    let mustWrite = store.state.withLock { state in
      if case .failure(let error) = outcome {
        // It is set before the next change by another thread, whose success clears it. Any other
        // error is that of the stored value or of the file, for as long as they have it.
        if change.rejection == nil { state.reject(error, of: declaration) }
        state.failTransaction(error)
      }
      if change.isNested { return false }
      state.changingThread = nil
      return state.ownTransaction == nil
    }
    store.propertyLock.unlock()
    if let error = change.loadError, error != change.rejection { store.report(error) }
    if let error = change.rejection {
      KeyValueStore.reportRefusedChange(error)
    } else if case .failure(let error) = outcome {
      KeyValueStore.onFailure(error)
    }
    if mustWrite { store.flushOrSchedule() }
  }

  /// Returns the encoded value, if the check allows it; nil if the value and the default value are
  /// both nil.
  private func encode<Value: Codable & Sendable>(
    _ value: Value
  ) throws(KeyValueStoreError) -> EncodedValue? {
    try declaration.check(value)
    return try store.coding.encode(
      value, key: key.string, default: (defaultValue as? Box<Value>)?.value)
  }

  /// Calls a closure with nil and the current value, then at each change with the old and new one.
  func observe<Value: Codable & Sendable>(
    _ type: Value.Type,
    _ observer: @escaping @Sendable (_ old: AnyBox?, _ new: AnyBox) -> Void
  ) -> KeyValueObservation {
    /// The last valid value, its bytes, and whether the observer was called with the value.
    typealias Last = (value: AnyBox, encoded: EncodedValue?, isKnown: Bool)
    var valid: (value: AnyBox?, encoded: EncodedValue?) = (nil, nil)
    if !Fork.isChild {
      // An invalid value is reported now instead of at the next get.
      _ = read()
      valid = store.state.withLock { _ in (declaration.cache.valid, declaration.cache.validBytes) }
    }
    let last = Lock<Last>((valid.value ?? defaultValue, valid.encoded?.copied, false))
    return store.observe(key) { [declaration, defaultValue, coding = store.coding] _, encoded in
      func encode(_ box: AnyBox) -> EncodedValue? {
        (box as? Box<Value>).flatMap { try? coding.encode($0.value, key: declaration.key.string) }
      }
      let old = last.withLock { $0 }
      do throws(DecodingFailure) {
        // An invalid value may have been between two equal ones.
        if old.isKnown, KeyObservers.isSame(old.encoded, encoded, in: coding) { return }
        let value: AnyBox = if let encoded { try declaration.decode(encoded) } else { defaultValue }
        last.withLock { $0 = (value, encoded?.copied, true) }
        // Only the type knows that "90s" is 90, or that a new value is the default one.
        if old.isKnown, let bytes = encode(old.value), bytes == encode(value) { return }
        observer(old.isKnown ? old.value : nil, value)
      } catch {
        // The store reports the error. The first change requires an old value.
        if old.isKnown { return }
        last.withLock { $0.isKnown = true }
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
    let scopes = StoreScopes.current
    let observer = Observer<ErrorObserver.Handler> { error in scopes.run { handler(error) } }
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
