import Dispatch
import StorageInternals

extension KeyValueStore {
  /// Reads what others wrote, if there is anything new.
  ///
  /// Properties need no call of this: they hear of changes by themselves, a moment after. Takes one
  /// system call if nothing changed.
  ///
  /// - Throws: Why the newest values are not known. Properties then have those that were read last.
  public func load() throws(KeyValueStoreError) {
    if state.withLock({ $0.transaction.ofThisThread }) != nil { return }
    beginToWatch()
    let (revision, hadProblem) = state.withLock {
      ($0.contents?.revision, $0.readProblem != nil)
    }
    do {
      if let revision, !hadProblem, !(try backend.hasChanged(since: revision)) { return }
      try adopt(try backend.load())
    } catch {
      state.withLock { $0.fail(error, since: revision) }
      throw error
    }
  }

  /// Reads the values once, for those who only look at what is in memory.
  func loadIfNeeded() {
    let isNeeded = state.withLock { $0.contents == nil && $0.readProblem == nil }
    if !isNeeded { return }
    do {
      try load()
    } catch {
      Self.report(error)
    }
  }

  /// Takes over newer contents, after bringing them to the app's version.
  private func adopt(_ contents: KeyValueContents) throws(KeyValueStoreError) {
    if try version.differs(from: KeyValueDraft(contents, format: format)) {
      try writing.take { () throws(KeyValueStoreError) in try write { _ in true } }
    } else {
      state.withLock { $0.adopt(contents) }
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
      if state.withLock({ $0.isOverdue }) { flushInBackground(evenIfRemoved: false) }
    } catch {
      if again { return lookAgainLater() }
      state.withLock { $0.fail(error, since: known?.revision) }
      Self.report(error)
    }
  }

  /// A program that writes a file may first remove it, or make it empty: nobody needs to hear of that,
  /// unless it stays so.
  func lookAgainLater() {
    DispatchQueue.global().asyncAfter(deadline: .now() + settlingTime) { [weak self] in
      self?.look(again: false)
    }
  }
}
