import StorageInternals

extension KeyValueStore {
  /// Writes what is not written yet, and returns when it is on disk.
  ///
  /// - Throws: Why it could not be written. It is kept, and written with what is set next.
  public func synchronize() throws(KeyValueStoreError) {
    if state.withLock({ $0.transaction.ofThisThread }) != nil { return }
    refuseInsideChange()
    try writing.take { () throws(KeyValueStoreError) in try flush() }
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
      let path = try backend.moveAside()
      try load()
      try flush()
      return path
    }
  }

  /// Sets or removes a key without throwing; `writeSoon()` must follow.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The encoded value; nil to remove it.
  ///   - then: Is called at once, while the state is locked, with the generation in which the key has
  ///     the value, or with nil in a transaction.
  func put(_ key: StoredKey, _ value: EncodedValue?, then: (Int?) -> Void = { _ in }) {
    state.withLock { state in
      then(state.set(key, to: value))
    }
  }

  /// Writes what was put, now or when the policy says; what cannot be written stays unsaved.
  func writeSoon() {
    if state.withLock({ $0.transaction.ofThisThread }) != nil { return }
    if schedule.begin() { return }
    // The change in place that this is a part of does it at its end.
    if !setting.isMine { flushInBackground() }
  }

  /// Sets or removes a key; it is on disk when this returns, or nothing is changed.
  func save(_ key: StoredKey, _ value: EncodedValue?) throws(KeyValueStoreError) {
    if state.withLock({ $0.transaction.ofThisThread }) != nil { return put(key, value) }
    refuseInsideChange()
    try writing.take { () throws(KeyValueStoreError) in
      try write { draft in
        draft[key] = value
        return true
      }
    }
  }

  /// Writes what is unsaved; a failure is kept and told, since there is nobody to throw to.
  func flushInBackground(evenIfRemoved: Bool = true) {
    do {
      try writing.take { () throws(KeyValueStoreError) in
        try flush(evenIfRemoved: evenIfRemoved)
      }
    } catch {
      Self.report(error)
    }
  }

  /// Writes what is unsaved, unless another thread that had its turn did so.
  private func flush(evenIfRemoved: Bool = true) throws(KeyValueStoreError) {
    if state.withLock({ $0.unsaved.isEmpty }) { return }
    do {
      try write(evenIfRemoved: evenIfRemoved) { _ in true }
    } catch {
      state.withLock {
        $0.writeProblem = error
        $0.isOverdue = true
      }
      schedule.retry()
      throw error
    }
  }

  /// Writes a draft of the newest contents with all that is unsaved, brought to the app's version.
  ///
  /// - Parameters:
  ///   - evenIfRemoved: Whether to write where all keys that were known are gone. A program that
  ///     replaces the file may have removed it just now, and a new one would be in its way; if false,
  ///     it has time to put the file back.
  ///   - change: Changes the draft further, and returns false if nothing is to be written.
  /// - Throws: Why nothing was written.
  func write(
    evenIfRemoved: Bool = true,
    _ change: (inout KeyValueDraft) throws(KeyValueStoreError) -> Bool
  ) throws(KeyValueStoreError) {
    // What is known from now on is to be kept up to date.
    beginToWatch()
    var isRemoved = false
    var failure: KeyValueStoreError?
    var isWanted = true
    var saved: [StoredKey: StoreState.Unsaved] = [:]
    let contents = try backend.update { contents in
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
