import Concurrency
import ValueFormats

// Loading and migrating the contents, and reading keys and values.
extension KeyValueStore {
  /// Reads the changes of other processes, if there are any.
  ///
  /// Properties receive changes without this call, after a short delay. If nothing has changed, the
  /// call takes only one system call.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest values cannot be read.
  public func load() throws { try read() }

  /// Returns the keys that have a value, sorted by their UTF-8 bytes.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest keys cannot be read.
  public func keys() throws -> [String] {
    try load()
    let draft = state.withLock { state in
      if let transaction = state.ownTransaction { return transaction.draft }
      var draft = KeyValueDraft(state.contents ?? KeyValueContents(revision: 0), coding: coding)
      draft.add(state.unsaved)
      return draft
    }
    // In a store with a version, the key `$version` is reserved.
    return version.number == 0 ? draft.contents.keys : draft.keys
  }

  /// Returns the value of a key that is determined at run time; nil if there is none.
  ///
  /// Unlike a ``StoredValue``, this method has no default value, so a structure must be complete.
  /// An error has the place of the mistake, for which the file is read again.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest values cannot be read, or
  ///   ``KeyValueStoreError/undecodable(_:)``, if the value has another type.
  public func value<Value: Decodable>(
    of key: String, as type: Value.Type = Value.self
  ) throws -> Value? {
    try load()
    guard let encoded = state.withLock({ $0.visible(StoredKey(key)) }) else { return nil }
    do throws(DecodingFailure) {
      return try coding.decoded(type, from: encoded, key: key)
    } catch {
      throw backend.errors(for: [error])[0]
    }
  }

  /// Returns the values of many keys; nil for a key that has none.
  ///
  /// The file is read again at most once for the places of all mistakes.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest values cannot be read.
  package func values<Value: Decodable>(
    of keys: [String], as type: Value.Type
  ) throws -> [Result<Value, KeyValueStoreError>?] {
    try load()
    let encoded = state.withLock { state in keys.map { state.visible(StoredKey($0)) } }
    let outcomes = zip(keys, encoded).map { key, encoded -> Result<Value, DecodingFailure>? in
      guard let encoded else { return nil }
      return Result { () throws(DecodingFailure) in
        try coding.decoded(type, from: encoded, key: key)
      }
    }
    let failures = outcomes.compactMap { outcome in
      if case .failure(let failure)? = outcome { failure } else { nil }
    }
    var errors = backend.errors(for: failures)[...]
    return outcomes.map { outcome in outcome?.mapError { _ in errors.removeFirst() } }
  }

  var isInTransactionOfThisThread: Bool { state.withLock { $0.ownTransaction != nil } }

  var isInPlaceChangeOfThisThread: Bool { state.withLock { $0.changingThread == .current } }

  /// Loads the values if the cached ones may be stale, and reports a new failure.
  func loadIfNeeded() {
    let (isNeeded, lastError) = state.withLock { ($0.needsReading, $0.readError) }
    if !isNeeded { return }
    do {
      try read(isImplicit: true)
    } catch {
      if error != lastError { report(error) }
    }
  }

  /// Reads new contents; `isImplicit` is whether the caller is a property access.
  func read(isImplicit: Bool = false) throws(KeyValueStoreError) {
    try KeyValueStoreError.checkProcess()
    if isInTransactionOfThisThread { return }
    startWatching(isImplicit: isImplicit)
    func isInGracePeriod() -> Bool {
      state.withLock { $0.beginOrContinueGracePeriod(of: gracePeriod) }
    }
    let (cached, hadError) = state.withLock { ($0.contents, $0.readError != nil) }
    do {
      if let cached, !hadError, !(try backend.hasChanged(since: cached.revision)) { return }
      let newest = try backend.load()
      if isImplicit, newest.isEmpty, isInGracePeriod() { return }
      try adopt(newest, isImplicit: isImplicit)
    } catch {
      if isImplicit, !hadError, isInGracePeriod() { return }
      state.withLock { $0.recordReadError(error, since: cached?.revision) }
      throw error
    }
  }

  /// Adopts newer contents, after migrating them to the app's version.
  func adopt(_ contents: KeyValueContents, isImplicit: Bool = false) throws(KeyValueStoreError) {
    var draft = KeyValueDraft(contents, coding: coding)
    guard try version.differs(from: draft) else { return cache(contents) }
    if isImplicit, let failed = state.withLock({ $0.failedMigration }),
      failed.revision == contents.revision
    {
      throw failed.error
    }
    if migrateFile() { return }
    // Reading must not depend on writing. The next write migrates the file.
    do throws(KeyValueStoreError) {
      try version.migrate(&draft)
      try version.writeVersion(to: &draft)
    } catch {
      state.withLock { $0.failedMigration = (contents.revision, error) }
      throw error
    }
    cache(draft.contents)
  }

  /// Migrates the file unless another writer holds its lock; returns whether it was migrated.
  private func migrateFile() -> Bool {
    guard writeLock.tryLock() else { return false }
    defer { writeLock.unlock() }
    do throws(KeyValueStoreError) {
      try write(within: nil) { _ in }
      state.withLock { $0.migrationWriteError = nil }
      return true
    } catch .migrationFailed, .newerVersion, .busy {
      // The caller detects the first two errors as well, and the next write retries a busy file.
    } catch {
      state.withLock { $0.migrationWriteError = error }
      report(error)
    }
    return false
  }
}
