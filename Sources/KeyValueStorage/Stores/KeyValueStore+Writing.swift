import Concurrency
import ValueFormats

// Setting and removing values, and moving an unreadable file aside.
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
      if save.outcome == nil { write(state.withLock { exchange(&$0.saves, with: []) }) }
      try save.outcome?.get()
    }
  }

  private func write(_ saves: [PendingSave]) {
    let outcome = Result { () throws(KeyValueStoreError) in
      try write(within: lockTimeout) { draft in
        for save in saves { draft[save.key] = save.value }
      }
    }
    // A change that makes the file too large must not fail the others.
    if case .failure(let error) = outcome, saves.count > 1, error.isCausedBySize {
      write(Array(saves.prefix(saves.count / 2)))
      write(Array(saves.dropFirst(saves.count / 2)))
    } else {
      for save in saves { save.outcome = outcome }
    }
  }

  /// Writes a draft of the newest contents, migrated to the app's version, with unsaved changes.
  ///
  /// `unsaved` are the changes of a caller that has called `startWatching()`; nil stands for the
  /// changes at the time of the write. If `timeout` is nil, the write fails immediately while
  /// another process holds the lock. `change` makes further changes to the draft, or abandons it.
  func write<Result>(
    _ unsaved: StoreState.UnsavedChanges? = nil, within timeout: Duration?,
    _ change: (inout KeyValueDraft) throws(KeyValueStoreError) -> Result
  ) throws(KeyValueStoreError) -> Result {
    // The contents are cached below, so later changes to the file must be detected.
    if unsaved == nil { startWatching() }
    typealias Outcome = (result: Result, write: StoreState.Write?)
    let (contents, outcome) = try backend.update(within: timeout) {
      contents throws(KeyValueStoreError) -> (KeyValueChanges, Outcome) in
      var draft = KeyValueDraft(contents, coding: coding)
      if version.number > 0 { try version.migrate(&draft) }
      let unsaved = unsaved ?? state.withLock { $0.unsaved }
      draft.add(unsaved)
      let result = try change(&draft)
      if draft.isAbandoned { return (KeyValueChanges(), (result, nil)) }
      if version.number > 0 { try version.writeVersion(to: &draft) }
      let changes = draft.effectiveChanges
      return (changes, (result, (unsaved, contents.revision, Array(changes.byKey.keys))))
    }
    if let write = outcome.write {
      cache(contents, after: write)
      stopTimer(if: { state.withLock { $0.unsaved.isEmpty } })
    }
    return outcome.result
  }

  /// Throws in a forked child; traps in an in-place change, in which a wait could deadlock.
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
  /// The success or failure of the write; nil until it has been attempted.
  var outcome: Result<Void, KeyValueStoreError>?

  init(_ key: StoredKey, _ value: EncodedValue?) {
    self.key = key
    self.value = value
  }
}
