import StorageInternals

extension KeyValueStore {
  /// Reads what others wrote, if there is anything new.
  ///
  /// Properties need no call of this: they hear of changes by themselves, a moment after. Takes one
  /// system call if nothing changed. Reading never waits for a writer.
  ///
  /// - Throws: Why the newest values are not known. Properties then have those that were read last.
  public func load() throws(KeyValueStoreError) {
    try read(isImplicit: false)
  }

  /// Loads the values if the newest ones are not known, and tells of a failure that is new.
  ///
  /// One failed reading must not leave defaults in memory for good: as long as reading fails, each
  /// access looks at the file again. That takes a few system calls; a file that is at fault itself
  /// is parsed again only after it has changed.
  func loadIfNeeded() {
    let (isNeeded, problem) = state.withLock { ($0.needsReading, $0.readProblem) }
    if !isNeeded { return }
    do {
      try read(isImplicit: true)
    } catch {
      if error != problem { Self.report(error) }
    }
  }

  /// Reads what is new; `isImplicit` says that an access asks which does not throw.
  private func read(isImplicit: Bool) throws(KeyValueStoreError) {
    if state.withLock({ $0.transaction.ofThisThread }) != nil { return }
    beginToWatch(isImplicit: isImplicit)
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

  /// Takes over newer contents, after bringing them to the app's version.
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

  /// Migrates the file unless a writer has it; returns whether that was done.
  private func writeMigrated() -> Bool {
    guard writing.tryToBegin() else { return false }
    defer { writing.end() }
    do {
      try write(within: nil) { _ in true }
      return true
    } catch {
      switch error {
      // The caller finds the first two out as well.
      case .migrationFailed, .newerVersion, .busy: break
      default: Self.report(error)
      }
      return false
    }
  }

  /// Something happened to the file, or to a link that leads to it.
  func hearOfChange() {
    look(again: true)
  }

  /// - Parameter again: Whether a state that cannot last is to be looked at again before it counts.
  private func look(again: Bool) {
    let (known, hadProblem) = state.withLock { ($0.contents, $0.readProblem != nil) }
    do throws(KeyValueStoreError) {
      var isNews = true
      if let known, !hadProblem { isNews = try backend.hasChanged(since: known.revision) }
      if isNews {
        let newest = try backend.load()
        if again, newest.isEmpty, !(known?.isEmpty ?? true) { return lookAgainLater() }
        try adopt(newest)
      }
      // What waits for its time goes on waiting.
      if state.withLock({ $0.isOverdue }) { flushInTime(within: nil) }
    } catch {
      if again { return lookAgainLater() }
      state.withLock { $0.fail(error, since: known?.revision) }
      Self.report(error)
    }
  }

  /// Looks at the file when a state that may pass had time to do so.
  func lookAgainLater() {
    let number = background.run(after: settlingTime) { [weak self] in self?.look(again: false) }
    // Without a thread, the accesses themselves look.
    if number == nil { state.withLock { $0.isWatched = false } }
  }
}
