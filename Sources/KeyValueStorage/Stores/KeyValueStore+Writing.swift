import StorageInternals

extension KeyValueStore {
  /// Writes what is not written yet, and returns when it is on disk.
  ///
  /// - Throws: Why it could not be written. It is kept, and written with what is set next.
  public func synchronize() throws(KeyValueStoreError) {
    if state.withLock({ $0.transaction.ofThisThread }) != nil { return }
    refuseInsideChange()
    try writing.take { () throws(KeyValueStoreError) in try flush(within: lockTimeout) }
  }

  /// Puts aside a file that cannot be read, so that the store begins anew, and writes what was set
  /// meanwhile.
  ///
  /// - Returns: The file's new path beside the old one; nil if it can be read.
  /// - Throws: Why the file could not be renamed, or what was set meanwhile not be written.
  @discardableResult
  public func moveAsideUnreadableFile() throws(KeyValueStoreError) -> String? {
    refuseInsideChange()
    return try writing.take { () throws(KeyValueStoreError) in
      let path = try backend.moveAside(within: lockTimeout)
      try load()
      try flush(within: lockTimeout)
      return path
    }
  }

  /// Writes what was set, now or when the policy says; what cannot be written stays unsaved.
  func writeSoon() {
    if state.withLock({ $0.transaction.ofThisThread }) != nil { return }
    if schedule.begin() { return }
    // The change in place that this is a part of does it at its end.
    if !setting.isMine { flushInBackground() }
  }

  /// Sets or removes a key; it is on disk when this returns, or nothing is changed.
  func save(_ key: StoredKey, _ value: EncodedValue?) throws(KeyValueStoreError) {
    let isInTransaction = state.withLock { state in
      if state.transaction.ofThisThread == nil { return false }
      _ = state.set(key, to: value)
      return true
    }
    if isInTransaction { return }
    refuseInsideChange()
    try writing.take { () throws(KeyValueStoreError) in
      try write(within: lockTimeout) { draft in
        draft[key] = value
        return true
      }
    }
  }

  /// Writes what is unsaved; a failure is kept and reported, since there is no caller to throw to.
  func flushInBackground() {
    do {
      try writing.take { () throws(KeyValueStoreError) in try flush(within: lockTimeout) }
    } catch {
      Self.report(error)
    }
  }

  /// Writes what is unsaved and overdue; reports a failure only if it is another one than before.
  ///
  /// - Parameter patience: As of `flush`; with nil, this does not wait for other threads either.
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

  /// Writes what is unsaved, unless another thread that came first did so.
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
      if case .busy = error { schedule.retry(isBusy: true) } else { schedule.retry(isBusy: false) }
      throw error
    }
  }

  /// Writes a draft of the newest contents with all that is unsaved, brought to the app's version.
  ///
  /// - Parameters:
  ///   - patience: How long to wait for other processes; nil to fail at once if one has the lock.
  ///   - evenIfRemoved: Whether to write where all keys that were known are gone. A program that
  ///     replaces the file may have removed it just now, and a new one would be in its way; if
  ///     false, it has time to put the file back.
  ///   - change: Changes the draft further, and returns false if nothing is to be written.
  /// - Throws: Why nothing was written.
  func write(
    within patience: Duration?, evenIfRemoved: Bool = true,
    _ change: (inout KeyValueDraft) throws(KeyValueStoreError) -> Bool
  ) throws(KeyValueStoreError) {
    // What is known from now on is to be kept up to date.
    beginToWatch()
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
      return lookAgainLater()
    }
    state.withLock { $0.adopt(contents, saved: saved) }
    schedule.end(if: { state.withLock { $0.unsaved.isEmpty } })
  }

  /// Waiting for another thread's transaction in here could be waiting for one that waits for this.
  func refuseInsideChange() {
    if setting.isMine, !writing.isMine {
      fatalError(
        """
        A KeyValueStore was to be written from inside a change in place of one of its properties. \
        Take a copy, and write it back.
        """)
    }
  }
}
