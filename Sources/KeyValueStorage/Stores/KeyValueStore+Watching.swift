import Concurrency
import Synchronization

// Watching for changes by other processes, and reading them.
extension KeyValueStore {
  struct Watch {
    var observation: KeyValueObservation?
    var lastAttempt: ContinuousClock.Instant?
    /// The reason why changes are not reported immediately; nil if they are.
    @ReportedError var error: KeyValueStoreError?
  }

  /// Starts watching for changes by other processes; limits implicit attempts to one per second.
  func startWatching(isImplicit: Bool = false) {
    if isWatching.load(ordering: .acquiring) { return }
    updateWatchError { watch throws(KeyValueStoreError) in
      if watch.observation != nil { return watch.error }
      if isImplicit, let last = watch.lastAttempt, .now - last < .seconds(1) { return watch.error }
      watch.lastAttempt = .now
      watch.observation = try backend.observe { [weak self] in self?.fileDidChange() }
      isWatching.store(true, ordering: .releasing)
      return watch.observation?.findError()
    }
  }

  /// Updates the reason why each access checks for changes, and reports a new reason.
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
    if let newError { report(newError) }
  }

  /// Reads the file again after a change to the file or to a symbolic link in its path.
  private func fileDidChange() {
    updateWatchError { $0.observation?.findError() }
    refresh(isRetry: false)
  }

  /// Reads the file if it has changed; retries once, because an editor may be about to save it.
  private func refresh(isRetry: Bool) {
    let (cached, hadError) = state.withLock { ($0.contents, $0.readError != nil) }
    do throws(KeyValueStoreError) {
      var hasChanged = true
      if let cached, !hadError { hasChanged = try backend.hasChanged(since: cached.revision) }
      if hasChanged {
        let newest = try backend.load()
        if !isRetry, cached != nil, newest.hasEmptiedFile(since: cached) {
          return scheduleRefresh()
        }
        try adopt(newest)
      }
      // Coalesced writes remain scheduled.
      if state.withLock({ $0.isOverdue }) { flushOverdue(within: nil) }
    } catch {
      if !isRetry { return scheduleRefresh() }
      let lastError = state.withLock { state in
        defer { state.recordReadError(error, since: cached?.revision) }
        return state.readError
      }
      // One change of a file may cause several notifications.
      if error != lastError { report(error) }
    }
  }

  /// Schedules a second attempt to read a missing, empty or unreadable file.
  func scheduleRefresh() {
    let job = background.run(after: gracePeriod) { [weak self] in self?.refresh(isRetry: true) }
    // Without a thread, each access checks the file itself.
    if job == nil { state.withLock { $0.isWatched = false } }
  }
}
