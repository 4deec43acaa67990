import Concurrency
import ValueFormats

extension KeyValueStore {
  /// Reads the changes of other processes, if there are any.
  ///
  /// Properties do not need this call, because they receive changes automatically after a short
  /// delay. Takes one system call if nothing has changed, and never waits for a writer.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest values cannot be read. In that case,
  ///   properties keep their last known values.
  public func load() throws {
    try read()
  }

  /// Returns the keys that have a value, sorted by their UTF-8 bytes.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest keys cannot be read.
  public func keys() throws -> [String] {
    try load()
    let draft = state.withLock { state in
      if let transaction = state.transaction.ofThisThread { return transaction.draft }
      var draft = KeyValueDraft(
        state.contents ?? KeyValueContents(entries: [], revision: 0), format: format)
      draft.add(state.unsaved)
      return draft
    }
    // In a store with a version, the key `$version` is reserved.
    return version.number == 0 ? draft.allKeys : draft.keys
  }

  /// Returns the value of a key that is known only at run time; nil if there is none.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest values cannot be read, or
  ///   ``KeyValueStoreError/undecodable(key:type:reason:)``, if the value has another type.
  public func value<Value: Decodable>(
    of key: String, as type: Value.Type = Value.self
  ) throws -> Value? {
    try load()
    guard let value = state.withLock({ $0.visible(StoredKey(key)) }) else { return nil }
    return try format.value(type, from: value, key: key)
  }
}

extension KeyValueStore {
  /// Whether the calling thread is in a transaction of this store.
  var isInTransactionOfThisThread: Bool {
    state.withLock { $0.transaction.ofThisThread != nil }
  }

  /// Loads the values if the newest values are unknown, and reports a new failure.
  ///
  /// A single failed read must not leave default values in memory permanently, so each access
  /// retries until a read succeeds. A retry takes a few system calls; an invalid file is parsed
  /// again only after a change.
  func loadIfNeeded() {
    let (isNeeded, lastError) = state.withLock { ($0.needsReading, $0.readError) }
    if !isNeeded { return }
    do {
      try read(isImplicit: true)
    } catch {
      if error != lastError { Self.report(error) }
    }
  }

  /// Reads new contents; `isImplicit` means that the caller is a property access.
  func read(isImplicit: Bool = false) throws(KeyValueStoreError) {
    if isInTransactionOfThisThread { return }
    startWatching(isImplicit: isImplicit)
    let (known, hadError) = state.withLock { ($0.contents, $0.readError != nil) }
    do {
      if let known, !hadError, !(try backend.hasChanged(since: known.revision)) { return }
      let newest = try backend.load()
      if isImplicit, newest.isEmpty, isSettling { return }
      try adopt(newest, isImplicit: isImplicit)
    } catch {
      if isImplicit, !hadError, isSettling { return }
      state.withLock { $0.recordReadError(error, since: known?.revision) }
      throw error
    }
  }

  /// Whether empty or unreadable contents must still be ignored.
  private var isSettling: Bool { state.withLock { $0.isSettling(within: settlingTime) } }

  /// Adopts newer contents, after migrating them to the app's version.
  func adopt(
    _ contents: KeyValueContents, isImplicit: Bool = false
  ) throws(KeyValueStoreError) {
    var draft = KeyValueDraft(contents, format: format)
    guard try version.differs(from: draft) else { return state.withLock { $0.adopt(contents) } }
    if isImplicit, let error = state.withLock({ $0.migrationError(for: contents) }) { throw error }
    if migrateFile() { return }
    // Reading must not depend on writing: the next write migrates the file.
    do throws(KeyValueStoreError) {
      try version.migrate(&draft)
      try version.stamp(&draft)
    } catch {
      state.withLock { $0.recordMigrationError(error, for: contents) }
      throw error
    }
    let migrated = contents.applying(draft.changes, revision: contents.revision)
    state.withLock { $0.adopt(migrated) }
  }

  /// Migrates the file unless another writer holds its lock; returns whether it was migrated.
  private func migrateFile() -> Bool {
    guard writing.tryToBegin() else { return false }
    defer { writing.end() }
    do {
      try write(within: nil) { _ in true }
      return true
    } catch {
      switch error {
      // The caller detects the first two errors as well.
      case .migrationFailed, .newerVersion, .busy: break
      default: Self.report(error)
      }
      return false
    }
  }
}
