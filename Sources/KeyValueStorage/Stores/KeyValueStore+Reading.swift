import Concurrency
import ValueFormats

extension KeyValueStore {
  /// Reads the changes of other processes, if there are any.
  ///
  /// Properties do not need this call, because they receive changes automatically after a short
  /// delay. The call makes one system call if nothing has changed, and does not wait for the lock.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest values cannot be read. In that case,
  ///   properties retain the values last read.
  public func load() throws { try read() }

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

  /// Returns the value of a key that is determined at run time; nil if there is none.
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
  var isInTransactionOfThisThread: Bool { state.withLock { $0.transaction.ofThisThread != nil } }

  /// Loads the values if the cached ones may be stale, and reports a new failure.
  ///
  /// After a failure, each access retries with a few system calls. An invalid file is parsed again
  /// only after a change.
  func loadIfNeeded() {
    let (isNeeded, lastError) = state.withLock { ($0.needsReading, $0.readError) }
    if !isNeeded { return }
    do {
      try read(isImplicit: true)
    } catch {
      if error != lastError { report(error) }
    }
  }

  /// Reads new contents; `isImplicit` is true for a property access.
  func read(isImplicit: Bool = false) throws(KeyValueStoreError) {
    if isInTransactionOfThisThread { return }
    startWatching(isImplicit: isImplicit)
    let (cached, hadError) = state.withLock { ($0.contents, $0.readError != nil) }
    do {
      if let cached, !hadError, !(try backend.hasChanged(since: cached.revision)) { return }
      let newest = try backend.load()
      if isImplicit, newest.isEmpty, isWithinGracePeriod { return }
      try adopt(newest, isImplicit: isImplicit)
    } catch {
      if isImplicit, !hadError, isWithinGracePeriod { return }
      state.withLock { $0.recordReadError(error, since: cached?.revision) }
      throw error
    }
  }

  /// Whether empty or unreadable contents must still be ignored.
  private var isWithinGracePeriod: Bool { state.withLock { $0.beginGracePeriod(of: gracePeriod) } }

  /// Adopts newer contents, after migrating them to the app's version.
  func adopt(_ contents: KeyValueContents, isImplicit: Bool = false) throws(KeyValueStoreError) {
    var draft = KeyValueDraft(contents, format: format)
    guard try version.differs(from: draft) else { return state.withLock { $0.adopt(contents) } }
    if isImplicit, let error = state.withLock({ $0.migrationError(for: contents) }) { throw error }
    if migrateFile() { return }
    // Reading must not depend on writing. The next write migrates the file.
    do throws(KeyValueStoreError) {
      try version.migrate(&draft)
      try version.writeVersion(to: &draft)
    } catch {
      state.withLock { $0.recordMigrationError(error, for: contents) }
      throw error
    }
    let migrated = contents.applying(draft.changes, revision: contents.revision)
    state.withLock { $0.adopt(migrated) }
  }

  /// Migrates the file unless another writer holds its lock; returns whether it was migrated.
  private func migrateFile() -> Bool {
    guard writeLock.tryLock() else { return false }
    defer { writeLock.unlock() }
    do {
      try write(within: nil) { _ in true }
      state.withLock { $0.migrationWriteError = nil }
      return true
    } catch {
      switch error {
      // The caller detects the first two errors as well.
      case .migrationFailed, .newerVersion, .busy: break
      default:
        state.withLock { $0.migrationWriteError = error }
        report(error)
      }
      return false
    }
  }

  /// The state of the backend's observation.
  struct Watch {
    var observation: KeyValueObservation?
    /// The time of the last attempt to observe the backend.
    var lastAttempt: ContinuousClock.Instant?
    /// The reason why changes are not reported immediately; nil if they are.
    @ReportedError var error: KeyValueStoreError?
  }

  /// Starts watching for changes by other processes; limits implicit attempts to one per second.
  func startWatching(isImplicit: Bool = false) {
    // In a forked child, each access checks for changes.
    if Fork.isChild || watch.withLock({ $0.observation != nil }) { return }
    updateWatchError { watch throws(KeyValueStoreError) in
      if watch.observation != nil { return watch.error }
      if isImplicit, let last = watch.lastAttempt, .now - last < .seconds(1) { return watch.error }
      watch.lastAttempt = .now
      watch.observation = try backend.observe { [weak self] in self?.fileDidChange() }
      return watch.observation?.error
    }
  }

  /// Updates the reason why each access checks for changes, and reports a new reason.
  private func updateWatchError(
    _ findError: (inout Watch) throws(KeyValueStoreError) -> KeyValueStoreError?
  ) {
    let newError = watch.withLock { watch -> KeyValueStoreError? in
      let last = watch.error
      do throws(KeyValueStoreError) {
        watch.error = try findError(&watch)
      } catch {
        watch.error = error
      }
      state.withLock { $0.isWatched = watch.observation != nil && watch.error == nil }
      return watch.error == last ? nil : watch.error
    }
    if let newError { report(newError) }
  }

  /// Reads the file again after a change to the file or to a symbolic link in its path.
  private func fileDidChange() {
    updateWatchError { $0.observation?.error }
    refresh(isRetry: false)
  }

  /// Reads the file if it has changed; retries once, because an editor may be about to save it.
  private func refresh(isRetry: Bool) {
    let (cached, hadError) = state.withLock { ($0.contents, $0.readError != nil) }
    do throws(KeyValueStoreError) {
      var hasChanged = true
      if let cached, !hadError { hasChanged = try backend.hasChanged(since: cached.revision) }
      if hasChanged {
        let newest = try backend.load()
        if !isRetry, newest.isEmpty, !(cached?.isEmpty ?? true) { return scheduleRefresh() }
        try adopt(newest)
      }
      // Coalesced writes remain scheduled.
      if state.withLock({ $0.isOverdue }) { flushOverdue(within: nil) }
    } catch {
      if !isRetry { return scheduleRefresh() }
      let lastError = state.withLock { state in
        defer { state.recordReadError(error, since: cached?.revision) }
        return state.readError
      }
      // One change of a file may cause several notifications.
      if error != lastError { report(error) }
    }
  }

  /// Schedules a second attempt to read a missing, empty or unreadable file.
  func scheduleRefresh() {
    let job = background.run(after: gracePeriod) { [weak self] in self?.refresh(isRetry: true) }
    // Without a thread, each access checks the file itself.
    if job == nil { state.withLock { $0.isWatched = false } }
  }
}
