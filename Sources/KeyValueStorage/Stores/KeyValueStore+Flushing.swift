import CLibrary
import Concurrency
import Synchronization

// Writing of unsaved changes: at once, on schedule, and when the process exits.
extension KeyValueStore {
  fileprivate func flushAtExit(until deadline: ContinuousClock.Instant) {
    if state.withLock({ $0.unsaved.isEmpty }) { return }
    // During an in-place change, the thread that holds `writeLock` may wait for this thread.
    let timeout = isInPlaceChangeOfThisThread ? .zero : deadline - .now
    guard writeLock.lock(within: timeout) else {
      return reportUnwritten(.unavailable("Another thread is writing to the store."))
    }
    defer { writeLock.unlock() }
    do {
      try flush(within: min(lockTimeout, max(.zero, deadline - .now)))
    } catch {
      reportUnwritten(error)
    }
  }

  /// Writes unsaved changes, immediately or on the policy's schedule, and reports a failure.
  ///
  /// - Parameter begun: The changes, if the calling thread has locked `writeLock` with them.
  func flushOrSchedule(_ begun: StoreState.UnsavedChanges? = nil) {
    if let delay, startTimer(after: delay) { return }
    if begun == nil { writeLock.lock() }
    do throws(KeyValueStoreError) {
      defer { writeLock.unlock() }
      try flush(begun, within: lockTimeout)
    } catch {
      report(error)
    }
  }

  /// Writes overdue changes; reports a failure only if it differs from the last one.
  ///
  /// - Parameter timeout: As in `write`; nil also means not to wait for other threads.
  func flushOverdue(within timeout: Duration?) {
    if timeout != nil { writeLock.lock() } else if !writeLock.tryLock() { return }
    defer { writeLock.unlock() }
    let lastError = state.withLock { $0.writeError }
    do {
      try flush(within: timeout, evenIfRemoved: false)
    } catch {
      if error != lastError { report(error) }
    }
  }

  /// Writes unsaved changes, if there are any, within a timeout as in `write`.
  ///
  /// Unless `evenIfRemoved` is true, a program that has just removed the file has time to put it
  /// back.
  func flush(
    _ begun: StoreState.UnsavedChanges? = nil, within timeout: Duration?,
    evenIfRemoved: Bool = true
  ) throws(KeyValueStoreError) {
    var unsaved = begun ?? state.withLock { $0.unsaved }
    if unsaved.isEmpty { return }
    if !isWatching.load(ordering: .acquiring) {
      startWatching()
      // The app's handler of a failure may have changed and written properties.
      unsaved = state.withLock { $0.unsaved }
    }
    do {
      let isPostponed = try write(unsaved, within: timeout) { draft in
        if evenIfRemoved || !draft.stored.isEmpty { return false }
        draft.isAbandoned = state.withLock { $0.contents?.isEmpty == false }
        return draft.isAbandoned
      }
      if isPostponed {
        state.withLock { $0.isOverdue = true }
        scheduleRefresh()
      }
    } catch {
      state.withLock {
        $0.writeError = error
        $0.isOverdue = true
      }
      // A busy lock usually becomes free. After any other failure, only delayed writes are retried.
      let isBusy = if case .busy = error { true } else { false }
      if isBusy || delay != nil {
        stopTimer()
        _ = startTimer(after: max(delay ?? .zero, .seconds(1)))
      }
      throw error
    }
  }

  /// Schedules a write, unless there is one; returns false if no thread can be created.
  private func startTimer(after delay: Duration) -> Bool {
    timer.withLock { timer in
      if timer == nil {
        timer = background.run(after: delay) { [weak self] in
          guard let self else { return }
          // Later changes need a new timer.
          self.timer.withLock { $0 = nil }
          flushOverdue(within: lockTimeout)
        }
      }
      return timer != nil
    }
  }

  /// Cancels the scheduled write if a condition holds.
  func stopTimer(if isDone: () -> Bool = { true }) {
    let stopped = timer.withLock { timer in timer != nil && isDone() ? timer.take() : nil }
    if let stopped { background.cancel(stopped) }
  }
}

/// The stores to flush when the process exits, because they may have unsaved changes.
enum StoresToFlush {
  private static let stores: Lock<[@Sendable () -> KeyValueStore?]> = {
    atexit { StoresToFlush.flush() }
    return Lock([])
  }()

  static func add(_ store: KeyValueStore) {
    if Fork.isChild { return }
    let live = stores.withLock { stores in
      let live = stores.compactMap { $0() }
      stores.removeAll { $0() == nil }
      stores.append { [weak store] in store }
      return live
    }
    // Released outside of the lock, because a released store writes, and calls the app's handler.
    withExtendedLifetime(live) {}
  }

  /// The maximum time to wait for locks at exit, for all stores together.
  private static let timeout = Duration.seconds(1)

  private static func flush() {
    // A child must not write its parent's changes.
    if Fork.isChild { return }
    let stores = stores.withLock { $0.compactMap { $0() } }
    let deadline = ContinuousClock.now + timeout
    // A store that this thread is writing is in a transaction, which must not be written.
    for store in stores where !store.writeLock.isHeldByCurrentThread {
      store.flushAtExit(until: deadline)
    }
  }
}
