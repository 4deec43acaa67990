import Concurrency
import ValueFormats

extension KeyValueStore {
  /// Reads the changes of other processes, if there are any.
  ///
  /// Properties do not need this call: they receive changes automatically, a moment later. Takes
  /// one system call if nothing has changed. Reading never waits for a writer.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest values cannot be read. Properties keep those
  ///   read last.
  public func load() throws {
    try read()
  }

  /// Loads the values if the newest ones are unknown, and reports a new failure.
  ///
  /// One failed read must not leave defaults in memory permanently: until a read succeeds, each
  /// access retries. That takes a few system calls; an invalid file is parsed again only after it
  /// has changed.
  func loadIfNeeded() {
    let (isNeeded, problem) = state.withLock { ($0.needsReading, $0.readProblem) }
    if !isNeeded { return }
    do {
      try read(isImplicit: true)
    } catch {
      if error != problem { Self.report(error) }
    }
  }

  /// Reads new contents; `isImplicit` means that the caller is an access, which does not throw.
  func read(isImplicit: Bool = false) throws(KeyValueStoreError) {
    if state.withLock({ $0.transaction.ofThisThread }) != nil { return }
    startWatching(isImplicit: isImplicit)
    let (known, hadProblem) = state.withLock { ($0.contents, $0.readProblem != nil) }
    do {
      if let known, !hadProblem, !(try backend.hasChanged(since: known.revision)) { return }
      let newest = try backend.load()
      if isImplicit, newest.isEmpty, state.withLock({ $0.mayPass(within: settlingTime) }) { return }
      try adopt(newest, isImplicit: isImplicit)
    } catch {
      if isImplicit, !hadProblem, state.withLock({ $0.mayPass(within: settlingTime) }) { return }
      state.withLock { $0.fail(error, since: known?.revision) }
      throw error
    }
  }

  /// Adopts newer contents, after migrating them to the app's version.
  private func adopt(
    _ contents: KeyValueContents, isImplicit: Bool = false
  ) throws(KeyValueStoreError) {
    var draft = KeyValueDraft(contents, format: format)
    guard try version.differs(from: draft) else { return state.withLock { $0.adopt(contents) } }
    if isImplicit, let refusal = state.withLock({ $0.refusal(of: contents) }) { throw refusal }
    if writeMigrated() { return }
    // Reading does not depend on writing: the next write migrates the file.
    do throws(KeyValueStoreError) {
      try version.migrate(&draft)
      try version.stamp(&draft)
    } catch {
      state.withLock { $0.refuse(contents, error) }
      throw error
    }
    let migrated = contents.applying(draft.changes, revision: contents.revision)
    state.withLock { $0.adopt(migrated) }
  }

  /// Migrates the file unless another writer holds it; returns whether it was migrated.
  private func writeMigrated() -> Bool {
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

  /// Reads the file again after a change of it, or of a symbolic link that leads to it.
  func fileDidChange() {
    noteProblem { $0.observation?.problem }
    refresh(isRetry: false)
  }

  /// An empty or unreadable file may be a moment in the middle of an editor's save, so the first
  /// attempt schedules a retry.
  private func refresh(isRetry: Bool) {
    let (known, hadProblem) = state.withLock { ($0.contents, $0.readProblem != nil) }
    do throws(KeyValueStoreError) {
      var hasChanged = true
      if let known, !hadProblem { hasChanged = try backend.hasChanged(since: known.revision) }
      if hasChanged {
        let newest = try backend.load()
        if !isRetry, newest.isEmpty, !(known?.isEmpty ?? true) { return rereadLater() }
        try adopt(newest)
      }
      // Coalesced writes keep their schedule.
      if state.withLock({ $0.isOverdue }) { flushInTime(within: nil) }
    } catch {
      if !isRetry { return rereadLater() }
      state.withLock { $0.fail(error, since: known?.revision) }
      Self.report(error)
    }
  }

  func rereadLater() {
    let number = background.run(after: settlingTime) { [weak self] in self?.refresh(isRetry: true) }
    // Without a thread, each access checks the file itself.
    if number == nil { state.withLock { $0.isWatched = false } }
  }
}

extension KeyValueStore {
  /// Returns the keys that have a value, sorted by their bytes in UTF-8.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest keys cannot be read.
  public func keys() throws -> [String] {
    try load()
    let draft = state.withLock { state in
      if let transaction = state.transaction.ofThisThread { return transaction.draft }
      var draft = KeyValueDraft(
        state.contents ?? KeyValueContents(entries: [], revision: 0), format: format)
      draft.take(state.unsaved)
      return draft
    }
    // With a version, the key `$version` is the store's own.
    return version.number == 0 ? draft.allKeys : draft.keys
  }

  /// Returns the value of a key that is known only at run time; nil if there is none.
  ///
  /// - Throws: The ``KeyValueStoreError`` because of which the newest values are unknown, or
  ///   ``KeyValueStoreError/undecodable(key:type:reason:)`` if the value is of another type.
  public func value<Value: Decodable>(
    of key: String, as type: Value.Type = Value.self
  ) throws -> Value? {
    try load()
    guard let value = state.withLock({ $0.visible(StoredKey(key)) }) else { return nil }
    return try format.value(type, from: value, key: key)
  }

  /// Sets a key that is known only at run time; the value is on disk when this returns.
  ///
  /// In a ``transaction(_:)``, the value is a part of it, and on disk at its end.
  ///
  /// - Throws: ``KeyValueStoreError``, if the value cannot be encoded or written; nothing changes
  ///   then.
  public func set(_ value: some Encodable, for key: String) throws {
    try save(StoredKey(key), ArraySlice(try format.bytes(of: value, key: key)))
  }

  /// Removes a key, like ``set(_:for:)`` sets one; a missing key is not an error.
  ///
  /// - Throws: ``KeyValueStoreError``, if the store cannot be written; nothing is changed then.
  public func remove(_ key: String) throws {
    try save(StoredKey(key), nil)
  }
}
