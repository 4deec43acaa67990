import Concurrency
import StorageInternals
import ValueFormats

// Setting and removing of values, and an unreadable file that is moved aside.
extension KeyValueStore {
  /// Sets a key that is determined at run time, and returns when the value is on disk; within a
  /// ``transaction(_:)``, the value is written at its end.
  ///
  /// - Throws: ``KeyValueStoreError``, if the value cannot be encoded or written.
  public func set(_ value: some Encodable, for key: String) throws {
    try save(StoredKey(key), try coding.encode(value, key: key))
  }

  /// Removes a key, in the same way as ``set(_:for:)`` sets one; a missing key is not an error.
  public func remove(_ key: String) throws { try save(StoredKey(key), nil) }

  /// Writes all unsaved changes, and returns when they are on disk.
  ///
  /// - Throws: ``KeyValueStoreError``, if the write fails. The next write retries it.
  public func synchronize() throws {
    try checkCaller()
    if isInTransactionOfThisThread { return }
    try writeLock.withLock { () throws(KeyValueStoreError) in try flush(within: lockTimeout) }
  }

  /// Moves an unreadable file aside, so that the store starts empty, and writes unsaved changes.
  ///
  /// - Returns: The new path of the file, in the same directory; nil if the file is readable.
  /// - Throws: ``KeyValueStoreError``, if the file cannot be renamed or the changes not written.
  @discardableResult
  public func moveAsideUnreadableFile() throws -> String? {
    try checkCaller()
    return try writeLock.withLock { () throws(KeyValueStoreError) in
      let path = try backend.moveAside(within: lockTimeout)
      try read()
      try flush(within: lockTimeout)
      return path
    }
  }
}

extension KeyValueStore {
  /// Sets or removes a key, and returns when the change is on disk.
  ///
  /// The first thread that acquires `writeLock` writes the changes of all threads that wait for it.
  func save(_ key: StoredKey, _ value: EncodedValue?) throws(KeyValueStoreError) {
    try checkCaller()
    let save = state.withLock { state -> PendingSave? in
      if state.ownTransaction != nil {
        _ = state.set(key, to: value)
        return nil
      }
      let save = PendingSave(key, value)
      state.saves.append(save)
      return save
    }
    guard let save else { return }
    try writeLock.withLock { () throws(KeyValueStoreError) in
      if save.outcome == nil {
        write(
          state.withLock { state in
            defer { state.saves = [] }
            return state.saves
          })
      }
      try save.outcome?.get()
    }
  }

  /// Writes changes together, in their order, and sets their outcomes.
  private func write(_ saves: [PendingSave]) {
    do throws(KeyValueStoreError) {
      try write(within: lockTimeout) { draft in
        for save in saves { draft[save.key] = save.value }
      }
      for save in saves { save.outcome = .success(()) }
    } catch {
      // A change that makes the file too large must not fail the others.
      if saves.count > 1, error.isCausedBySize {
        write(Array(saves.prefix(saves.count / 2)))
        write(Array(saves.dropFirst(saves.count / 2)))
      } else {
        for save in saves { save.outcome = .failure(error) }
      }
    }
  }

  /// Writes a draft of the newest contents, migrated to the app's version, with unsaved changes:
  /// the given ones, after `startWatching()`, or those at the time of the write.
  ///
  /// A timeout of nil fails immediately if another process holds the lock. `change` makes further
  /// changes to the draft, or abandons it.
  func write<Result>(
    _ unsaved: StoreState.UnsavedChanges? = nil, within timeout: Duration?,
    _ change: (inout KeyValueDraft) throws(KeyValueStoreError) -> Result
  ) throws(KeyValueStoreError) -> Result {
    // The contents are cached below, so later changes to the file must be detected.
    if unsaved == nil { startWatching() }
    typealias Outcome = (result: Result, saved: StoreState.UnsavedChanges?)
    let (contents, outcome) = try backend.update(within: timeout) {
      contents throws(KeyValueStoreError) -> (KeyValueChanges, Outcome) in
      var draft = KeyValueDraft(contents, coding: coding)
      if version.number > 0 { try version.migrate(&draft) }
      let unsaved = unsaved ?? state.withLock { $0.unsaved }
      draft.add(unsaved)
      let result = try change(&draft)
      if draft.isAbandoned { return (KeyValueChanges(), (result, nil)) }
      if version.number > 0 { try version.writeVersion(to: &draft) }
      return (draft.effectiveChanges, (result, unsaved))
    }
    if let saved = outcome.saved {
      state.withLock { $0.adopt(contents, saved: saved) }
      stopTimer(if: { state.withLock { $0.unsaved.isEmpty } })
    }
    return outcome.result
  }

  /// Throws in a forked child; traps during an in-place change, in which a wait for a transaction
  /// could deadlock.
  func checkCaller() throws(KeyValueStoreError) {
    try KeyValueStoreError.checkProcess()
    if isInPlaceChangeOfThisThread, !writeLock.isHeldByCurrentThread {
      fatalError(
        """
        A KeyValueStore was written during an in-place change of one of its properties. Copy the \
        value, change the copy, and assign it to the property.
        """)
    }
  }
}

/// A change of one key, to be written together with those of other threads.
///
/// `@unchecked`: only the thread that holds the store's `writeLock` accesses the outcome.
final class PendingSave: @unchecked Sendable {
  let key: StoredKey
  let value: EncodedValue?
  /// Whether the change is on disk or could not be written; nil until it is attempted.
  var outcome: Result<Void, KeyValueStoreError>?

  init(_ key: StoredKey, _ value: EncodedValue?) {
    self.key = key
    self.value = value
  }
}
