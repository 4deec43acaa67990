import Concurrency

extension KeyValueStore {
  /// The observation of the backend.
  struct Watch {
    var observation: KeyValueObservation?
    /// The time of the last attempt to observe the backend.
    var lastAttempt: ContinuousClock.Instant?
    /// The reason why changes are not reported immediately.
    var error: KeyValueStoreError?
  }

  /// Starts watching for changes by other processes, unless the store is already watching.
  ///
  /// - Parameter isImplicit: Whether to limit the attempts to one per second.
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

  /// Updates the reason why changes are not reported immediately, and reports a new reason.
  ///
  /// While there is such a reason, each access checks for changes.
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
    if let newError { Self.report(newError) }
  }

  /// Reads the file again after a change of the file, or of a symbolic link that leads to it.
  private func fileDidChange() {
    updateWatchError { $0.observation?.error }
    refresh(isRetry: false)
  }

  /// Reads the file if it has changed.
  ///
  /// An editor may be in the middle of saving an empty or unreadable file, so the first attempt
  /// schedules a retry.
  private func refresh(isRetry: Bool) {
    let (known, hadError) = state.withLock { ($0.contents, $0.readError != nil) }
    do throws(KeyValueStoreError) {
      var hasChanged = true
      if let known, !hadError { hasChanged = try backend.hasChanged(since: known.revision) }
      if hasChanged {
        let newest = try backend.load()
        if !isRetry, newest.isEmpty, !(known?.isEmpty ?? true) { return scheduleRefresh() }
        try adopt(newest)
      }
      // Coalesced writes keep their schedule.
      if state.withLock({ $0.isOverdue }) { flushOverdue(within: nil) }
    } catch {
      if !isRetry { return scheduleRefresh() }
      state.withLock { $0.recordReadError(error, since: known?.revision) }
      Self.report(error)
    }
  }

  /// Schedules a second attempt to read a missing, empty or unreadable file.
  func scheduleRefresh() {
    let number = background.run(after: settlingTime) { [weak self] in self?.refresh(isRetry: true) }
    // Without a thread, each access checks the file itself.
    if number == nil { state.withLock { $0.isWatched = false } }
  }
}
