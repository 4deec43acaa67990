import Concurrency
import ValueFormats

// The properties of a store: their values, decoded when the store sees the file, and unknown keys.
extension KeyValueStore {
  /// Makes properties known to the store, and reports those of them whose values are invalid.
  ///
  /// ```swift
  /// store.declare(Settings.level, Settings.port)
  /// ```
  ///
  /// A store knows each property from its creation on. Call this method once at the start for those
  /// that are created later, such as static ones, so that a mistake in the file is reported at the
  /// start, and each later one as soon as the store sees it. It reads the file, decodes the values,
  /// and watches the file from then on.
  ///
  /// A store knows a declared property for good. Of the others, it may forget those that have been
  /// released, from 1,000 on.
  ///
  /// - Parameter properties: Properties of this store; those of another one cause a trap.
  /// - Returns: The errors of the properties, each once; ``onFailure`` has them as well.
  @discardableResult
  public func declare<each Value: Codable & Sendable>(
    _ properties: repeat StoredValue<each Value>
  ) -> [KeyValueStoreError] {
    var settings: [Setting] = []
    for property in repeat each properties { settings.append(property.setting) }
    guard settings.allSatisfy({ $0.store === self }) else {
      fatalError("A property of another KeyValueStore was declared. Declare it in its own store.")
    }
    if Fork.isChild {
      Self.onFailure(.forked)
      return [.forked]
    }
    let declarations = settings.map(\.declaration)
    state.withLock { _ in
      for declaration in declarations { declaration.isPermanent = true }
    }
    loadIfNeeded()
    // All at once, because the file is read again to find the places of mistakes.
    decode(state.withLock { $0.pending(of: declarations) })
    var seen: Set<KeyValueStoreError> = []
    return settings.compactMap(\.error).filter { seen.insert($0).inserted }
  }

  /// Returns the declaration of a key and a type, which properties with both share if their default
  /// values have the same members.
  func declaration<Value: Codable & Sendable>(
    of key: String, default defaultValue: Value
  ) -> Declaration {
    let key = StoredKey(key)
    // No lock can be acquired in a child.
    if Fork.isChild { return Declaration(key, Value.self, nil, coding) }
    // Only members have an effect; a default value that cannot be encoded has none. It is encoded
    // outside of the lock, because the type's `Encodable` code may use the store.
    let tree = try? TreeEncoder().encode(defaultValue)
    let defaults: ValueTree? = if case .dictionary? = tree { tree } else { nil }
    return state.withLock { $0.declarations.declaration(of: key, Value.self, defaults, coding) }
      .declaration
  }

  /// Caches contents, decodes the values of properties that have changed, and reports mistakes.
  ///
  /// `write` describes the write of this store after which these are the contents; nil for others.
  func cache(_ contents: KeyValueContents, after write: StoreState.Write? = nil) {
    let report = state.withLock { state -> (@Sendable () -> Void)? in
      let (pending, hasNewKeys) = state.adopt(contents, after: write)
      let reportsKeys = hasNewKeys && state.reportedUnknownKeys != nil
      if pending.isEmpty, !reportsKeys { return nil }
      // The store is not retained, because its release writes its changes.
      let report = { @Sendable [lock = self.state, backend, weak self] in
        // A get may have decoded some of the values in the meantime.
        let rest = lock.withLock { _ in pending.filter { !$0.isDecoded } }
        for error in Self.decode(rest, lock, backend).errors { Self.onFailure(error) }
        if reportsKeys { self?.reportNewUnknownKeys() }
      }
      // The types' `Decodable` code and the app's handler may wait for other threads.
      guard Self.isLibraryThread || writeLock.isHeldByCurrentThread else { return report }
      state.observers.queue.run(report)
      return nil
    }
    report?()
  }

  /// Decodes values, caches the results, and reports new errors.
  @discardableResult
  func decode(_ pending: [PendingValue]) -> [DecodedValue] {
    let (results, errors) = Self.decode(pending, state, backend)
    for error in errors { report(error) }
    return results
  }

  /// Decodes values, caches the results, and returns them with the errors to report.
  private static func decode(
    _ pending: [PendingValue], _ state: Lock<StoreState>, _ backend: any KeyValueBackend
  ) -> (results: [DecodedValue], errors: [KeyValueStoreError]) {
    if pending.isEmpty { return ([], []) }
    // Decoding is outside of the lock, because the types' `Decodable` code may use the store.
    let outcomes = pending.map { value in
      Result { () throws(DecodingFailure) in try value.encoded.map(value.declaration.decode) }
    }
    let failures = outcomes.compactMap { outcome in
      if case .failure(let failure) = outcome { failure } else { nil }
    }
    var errors = backend.errors(for: failures)[...]
    let results = outcomes.map { outcome -> DecodedValue in
      switch outcome {
      case .success(let value): (value, nil)
      case .failure: (nil, errors.removeFirst())
      }
    }
    // The replaced values are released without the lock, because their `deinit` may use the store.
    let (isReported, replaced) = state.withLock { state in
      let replaced = pending.map(\.declaration.cache.valid)
      let isReported = zip(pending, results).map { state.cache($1, of: $0) }
      state.notifyErrorObservers()
      return (isReported, replaced)
    }
    withExtendedLifetime(replaced) {}
    for (value, result) in zip(pending, results) where result.error != nil {
      // The last valid bytes are in an older file, which a slice retains.
      let bytes = state.withLock { _ in value.declaration.cache.validBytes }
      let copy = bytes?.copied
      state.withLock { _ in value.declaration.cache.replaceValidBytes(bytes, by: copy) }
    }
    return (results, zip(results, isReported).compactMap { $1 ? $0.error : nil })
  }
}

extension KeyValueStore {
  /// The keys of the file that no property of the store has, sorted by their UTF-8 bytes.
  ///
  /// The store knows the properties that have been created, and those given to `declare`. The first
  /// 100 keys have the key of a similar property, if there is one.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest keys cannot be read.
  public var unknownKeys: [UnknownKey] {
    get throws {
      try load()
      return described(state.withLock { unknownEntries(in: $0) })
    }
  }

  /// Reports each unknown key of the file to ``onFailure``, now and whenever one is added.
  ///
  /// Call it after the properties have been created or declared; see ``unknownKeys``. At most 100
  /// of the keys in the file are reported.
  public func reportUnknownKeys() {
    if Fork.isChild { return Self.onFailure(.forked) }
    state.withLock { state in
      if state.reportedUnknownKeys == nil { state.reportedUnknownKeys = [:] }
    }
    loadIfNeeded()
    reportNewUnknownKeys()
  }

  private func reportNewUnknownKeys() {
    let new = state.withLock { state in
      let all = unknownEntries(in: state)
      let new = all.filter { state.reportedUnknownKeys?[$0.key] == nil }
      // The others have been reported.
      return Array(new.prefix(Self.reportLimit - (all.count - new.count)))
    }
    let described = described(new)
    let newest = state.withLock { state -> [UnknownKey] in
      // Another thread may have found other contents, or reported some keys, in the meantime.
      let keys = Set(unknownEntries(in: state).map(\.key))
      var reported = state.reportedUnknownKeys ?? [:]
      let gone = reported.filter { !keys.contains($0.key) }
      Self.didSucceed(after: gone.values.map(KeyValueStoreError.unknownKey))
      for key in gone.keys { reported[key] = nil }
      let newest = described.filter { unknown in
        let key = StoredKey(unknown.key)
        guard keys.contains(key), reported[key] == nil, reported.count < Self.reportLimit else {
          return false
        }
        reported[key] = unknown
        return true
      }
      state.reportedUnknownKeys = reported
      return newest
    }
    for key in newest { report(.unknownKey(key)) }
  }

  /// The number of unknown keys that are reported or compared with the properties' keys.
  private static var reportLimit: Int { 100 }

  private func unknownEntries(in state: StoreState) -> [KeyValueEntry] {
    (state.contents?.parts ?? []).joined().filter { entry in
      // In a store with a version, the key `$version` is reserved.
      state.declarations[entry.key].isEmpty
        && (version.number == 0 || entry.key != SettingsVersion.key)
    }
  }

  /// Returns keys with their places, and with suggestions for the first 100.
  private func described(_ entries: [KeyValueEntry]) -> [UnknownKey] {
    if entries.isEmpty { return [] }
    let known = state.withLock { $0.declarations.keys.map(\.string) }
      .filter { $0.utf8.count <= Self.comparedSize }.sorted()
      .map { (name: $0, scalars: Array($0.unicodeScalars)) }
    let parts = entries.map { FilePart(key: $0.key, value: $0.value, location: .key) }
    let places = (backend as? FileBackend)?.places(of: parts)
    return entries.enumerated().map { index, entry in
      UnknownKey(
        key: entry.key.string,
        suggestion: index < Self.reportLimit
          ? Self.mostSimilar(to: entry.key.string, among: known) : nil,
        place: places?[index].place)
    }
  }

  /// Returns the key that differs least, by at most two characters; nil if there is none.
  private static func mostSimilar(
    to key: String, among known: [(name: String, scalars: [Unicode.Scalar])]
  ) -> String? {
    guard key.utf8.count <= comparedSize else { return nil }
    let key = Array(key.unicodeScalars)
    // A key of one letter is similar to none.
    let limit = min(key.count > 3 ? 2 : 1, key.count - 1)
    let similar = known.compactMap { name, scalars -> (name: String, distance: Int)? in
      if abs(scalars.count - key.count) > limit { return nil }
      return key.distance(to: scalars, atMost: limit).map { (name, $0) }
    }
    return similar.min { $0.distance < $1.distance }?.name
  }

  /// The size of the longest keys that are compared, in bytes, which bounds the time for hostile
  /// ones.
  private static var comparedSize: Int { 64 }
}
