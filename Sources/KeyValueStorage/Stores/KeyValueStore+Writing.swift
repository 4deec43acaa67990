import Concurrency
import StorageInternals
import ValueFormats

extension KeyValueStore {
  /// Writes all unsaved changes, and returns when they are on disk.
  ///
  /// - Throws: ``KeyValueStoreError``, if the write fails. The next set writes the changes as well.
  public func synchronize() throws {
    if state.withLock({ $0.transaction.ofThisThread }) != nil { return }
    refuseInsideChange()
    try writing.take { () throws(KeyValueStoreError) in try flush(within: lockTimeout) }
  }

  /// Moves an unreadable file aside, so that the store starts empty, and writes the unsaved
  /// changes.
  ///
  /// - Returns: The file's new path beside the old one; nil if it is readable.
  /// - Throws: ``KeyValueStoreError``, if the file cannot be renamed or the changes not be written.
  @discardableResult
  public func moveAsideUnreadableFile() throws -> String? {
    refuseInsideChange()
    return try writing.take { () throws(KeyValueStoreError) in
      let path = try backend.moveAside(within: lockTimeout)
      try read()
      try flush(within: lockTimeout)
      return path
    }
  }

  /// Writes unsaved changes, at once or on the policy's schedule; after a failure they stay
  /// unsaved.
  func flushOrSchedule() {
    if state.withLock({ $0.transaction.ofThisThread }) != nil { return }
    if scheduleWrite() { return }
    // The enclosing change in place writes at its end.
    if !setting.isHeldByCurrentThread { flushReportingFailure() }
  }

  /// Sets or removes a key; it is on disk when this returns, or an error is thrown.
  func save(_ key: StoredKey, _ value: EncodedValue?) throws(KeyValueStoreError) {
    let isInTransaction = state.withLock { state in
      if state.transaction.ofThisThread == nil { return false }
      _ = state.set(key, to: value)
      return true
    }
    if isInTransaction { return }
    refuseInsideChange()
    let change = PendingSave(key: key, value: value)
    // A handler that runs inside of a write would wait for it in the queue.
    if writing.isHeldByCurrentThread { return try write([change]) }
    try saves.perform(change, process: write)
  }

  /// A set or a removal that waits to be written with those of other threads.
  struct PendingSave: Sendable {
    let key: StoredKey
    let value: EncodedValue?
  }

  typealias Saves = WriteQueue<PendingSave, Void, KeyValueStoreError>

  /// Writes the changes of several threads at once, in their order.
  private func write(_ batch: [Saves.Pending]) {
    do throws(KeyValueStoreError) {
      try writing.take { () throws(KeyValueStoreError) in try write(batch.map(\.write)) }
      for save in batch { save.finish(.success(())) }
    } catch {
      // A change that makes the file too large must not fail the others.
      if batch.count > 1, error.isOfSize {
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

  /// Writes unsaved changes; reports a failure, because there is no caller to throw to.
  func flushReportingFailure() {
    do {
      try writing.take { () throws(KeyValueStoreError) in try flush(within: lockTimeout) }
    } catch {
      Self.report(error)
    }
  }

  /// Writes overdue changes; reports a failure only if it differs from the last one.
  ///
  /// - Parameter patience: As in `flush`; with nil, this does not wait for other threads either.
  func flushInTime(within patience: Duration?) {
    if patience != nil { writing.begin() } else if !writing.tryToBegin() { return }
    defer { writing.end() }
    let problem = state.withLock { $0.writeProblem }
    do {
      try flush(within: patience, evenIfRemoved: false)
    } catch {
      if error != problem { Self.report(error) }
    }
  }

  /// Writes unsaved changes, unless another thread has written them.
  ///
  /// The parameters are those of `write`.
  func flush(
    within patience: Duration?, evenIfRemoved: Bool = true
  ) throws(KeyValueStoreError) {
    if state.withLock({ $0.unsaved.isEmpty }) { return }
    do {
      try write(within: patience, evenIfRemoved: evenIfRemoved) { _ in true }
    } catch {
      state.withLock {
        $0.writeProblem = error
        $0.isOverdue = true
      }
      if case .busy = error { scheduleRetry(isBusy: true) } else { scheduleRetry(isBusy: false) }
      throw error
    }
  }

  /// Writes a draft of the newest contents with all unsaved changes, migrated to the app's version.
  ///
  /// - Parameters:
  ///   - patience: The longest wait for other processes; nil to fail at once if one holds the lock.
  ///   - evenIfRemoved: Whether to write if all known keys are gone. A program that replaces the
  ///     file may have just removed it, and a new file would conflict with its own; if false, the
  ///     program has time to put the file back.
  ///   - change: Changes the draft further, and returns false to write nothing.
  /// - Throws: The reason why nothing was written.
  func write(
    within patience: Duration?, evenIfRemoved: Bool = true,
    _ change: (inout KeyValueDraft) throws(KeyValueStoreError) -> Bool
  ) throws(KeyValueStoreError) {
    // The contents known from here on must be kept up to date.
    startWatching()
    var isRemoved = false
    var failure: KeyValueStoreError?
    var isWanted = true
    var saved: [StoredKey: StoreState.Unsaved] = [:]
    let contents = try backend.update(within: patience) { contents in
      failure = nil
      saved = [:]
      isRemoved = contents.isEmpty && state.withLock { $0.contents?.isEmpty == false }
      if isRemoved, !evenIfRemoved { return KeyValueChanges() }
      var draft = KeyValueDraft(contents, format: format)
      do throws(KeyValueStoreError) {
        try version.migrate(&draft)
        let unsaved = state.withLock { $0.unsaved }
        draft.take(unsaved)
        isWanted = try change(&draft)
        if !isWanted { return KeyValueChanges() }
        try version.stamp(&draft)
        saved = unsaved
        return draft.necessaryChanges
      } catch {
        failure = error
        return KeyValueChanges()
      }
    }
    if let failure { throw failure }
    if !isWanted { return }
    if isRemoved, !evenIfRemoved {
      state.withLock { $0.isOverdue = true }
      return rereadLater()
    }
    state.withLock { $0.adopt(contents, saved: saved) }
    stopTimer(if: { state.withLock { $0.unsaved.isEmpty } })
  }

  /// Stops the process inside of a change in place, where waiting for a transaction may deadlock.
  func refuseInsideChange() {
    if setting.isHeldByCurrentThread, !writing.isHeldByCurrentThread {
      fatalError(
        """
        A KeyValueStore was to be written from inside a change in place of one of its properties. \
        Take a copy, and write it back.
        """)
    }
  }
}
