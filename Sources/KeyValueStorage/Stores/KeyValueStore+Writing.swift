import Concurrency
import StorageInternals
import ValueFormats

// Setting and removing of values.
extension KeyValueStore {
  /// Sets a key that is determined at run time, and returns when the value is on disk.
  ///
  /// Within a ``transaction(_:)``, the value is written when the transaction ends.
  ///
  /// - Precondition: The calling thread is not in an in-place change of a property of this store,
  ///   except within a transaction.
  /// - Throws: ``KeyValueStoreError``, if the value cannot be encoded or written. In that case,
  ///   nothing changes, unless the error is ``KeyValueStoreError/uncertain(path:code:)``.
  public func set(_ value: some Encodable, for key: String) throws {
    try save(StoredKey(key), ArraySlice(try format.bytes(of: value, key: key)))
  }

  /// Removes a key, in the same way as ``set(_:for:)`` sets one; a missing key is not an error.
  ///
  /// - Throws: ``KeyValueStoreError``, if the store cannot be written, as for ``set(_:for:)``.
  public func remove(_ key: String) throws { try save(StoredKey(key), nil) }

  /// Writes all unsaved changes, and returns when they are on disk.
  ///
  /// - Precondition: The calling thread is not in an in-place change of a property of this store,
  ///   except within a transaction.
  /// - Throws: ``KeyValueStoreError``, if the write fails. The next write retries it.
  public func synchronize() throws {
    if isInTransactionOfThisThread { return }
    requireNoInPlaceChange()
    try writeLock.withLock { () throws(KeyValueStoreError) in try flush(within: lockTimeout) }
  }

  /// Moves an unreadable file aside, so that the store starts empty, and writes the unsaved
  /// changes.
  ///
  /// - Precondition: The calling thread is not in an in-place change of a property of this store,
  ///   except within a transaction.
  /// - Returns: The new path of the file, in the same directory; nil if the file is readable.
  /// - Throws: ``KeyValueStoreError``, if the file cannot be renamed or the changes cannot be
  ///   written.
  @discardableResult
  public func moveAsideUnreadableFile() throws -> String? {
    requireNoInPlaceChange()
    return try writeLock.withLock { () throws(KeyValueStoreError) in
      let path = try backend.moveAside(within: lockTimeout)
      try read()
      try flush(within: lockTimeout)
      return path
    }
  }
}

extension KeyValueStore {
  /// A change of one key, to be written together with those of other threads.
  struct PendingSave: Sendable {
    let key: StoredKey
    let value: EncodedValue?
  }

  typealias Saves = WriteQueue<PendingSave, Void, KeyValueStoreError>

  /// Sets or removes a key, and returns when the change is on disk.
  func save(_ key: StoredKey, _ value: EncodedValue?) throws(KeyValueStoreError) {
    let isInTransaction = state.withLock { state in
      if state.transaction.ofThisThread == nil { return false }
      _ = state.set(key, to: value)
      return true
    }
    if isInTransaction { return }
    requireNoInPlaceChange()
    let change = PendingSave(key: key, value: value)
    // A failure handler may run during a write, and would wait in the queue for that write.
    if writeLock.isHeldByCurrentThread { return try write([change]) }
    try saves.perform(change, process: write)
  }

  /// Writes the changes of several threads together, in their order.
  private func write(_ batch: [Saves.Pending]) {
    do throws(KeyValueStoreError) {
      try writeLock.withLock { () throws(KeyValueStoreError) in try write(batch.map(\.write)) }
      for save in batch { save.finish(.success(())) }
    } catch {
      // A change that makes the file too large must not fail the others.
      if batch.count > 1, error.isCausedBySize {
        write(Array(batch.prefix(batch.count / 2)))
        write(Array(batch.dropFirst(batch.count / 2)))
      } else {
        for save in batch { save.finish(.failure(error)) }
      }
    }
  }

  private func write(_ changes: [PendingSave]) throws(KeyValueStoreError) {
    try write(within: lockTimeout) { draft in
      for change in changes { draft[change.key] = change.value }
      return true
    }
  }

  /// Writes a draft of the newest contents with all unsaved changes, migrated to the app's version.
  ///
  /// A timeout of nil fails immediately if another process holds the lock. Unless `evenIfRemoved`
  /// is true, a program that has just removed the file has time to put it back. `change` makes
  /// further changes to the draft, and returns false to write nothing.
  func write(
    within timeout: Duration?, evenIfRemoved: Bool = true,
    _ change: (inout KeyValueDraft) throws(KeyValueStoreError) -> Bool
  ) throws(KeyValueStoreError) {
    // The contents are cached below, so later changes to the file must be detected.
    startWatching()
    var isRemoved = false
    var failure: KeyValueStoreError?
    var shouldWrite = true
    var saved: [StoredKey: StoreState.Unsaved] = [:]
    let contents = try backend.update(within: timeout) { contents in
      failure = nil
      saved = [:]
      isRemoved = contents.isEmpty && state.withLock { $0.contents?.isEmpty == false }
      if isRemoved, !evenIfRemoved { return KeyValueChanges() }
      var draft = KeyValueDraft(contents, format: format)
      do throws(KeyValueStoreError) {
        try version.migrate(&draft)
        let unsaved = state.withLock { $0.unsaved }
        draft.add(unsaved)
        shouldWrite = try change(&draft)
        if !shouldWrite { return KeyValueChanges() }
        try version.writeVersion(to: &draft)
        saved = unsaved
        return draft.effectiveChanges
      } catch {
        failure = error
        return KeyValueChanges()
      }
    }
    if let failure { throw failure }
    if !shouldWrite { return }
    if isRemoved, !evenIfRemoved {
      state.withLock { $0.isOverdue = true }
      return scheduleRefresh()
    }
    state.withLock { $0.adopt(contents, saved: saved) }
    stopTimer(if: { state.withLock { $0.unsaved.isEmpty } })
  }

  /// Traps during an in-place change, when waiting for a transaction could deadlock.
  func requireNoInPlaceChange() {
    if propertyLock.isHeldByCurrentThread, !writeLock.isHeldByCurrentThread {
      fatalError(
        """
        A KeyValueStore was written during an in-place change of one of its properties. Copy the \
        value, change the copy, and assign it to the property.
        """)
    }
  }
}
