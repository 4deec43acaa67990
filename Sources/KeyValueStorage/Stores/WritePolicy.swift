import CLibrary
import Concurrency

/// The time at which a ``KeyValueStore`` writes properties.
public enum WritePolicy: Hashable, Sendable {
  /// A property's setter returns when the value is on disk.
  case durable
  /// A property's setter returns at once, and the value is written after this time.
  ///
  /// All changes within this time are coalesced. They are written earlier by
  /// ``KeyValueStore/synchronize()``, by each transaction and throwing save, when the store is
  /// released, and when the process exits normally. A process that is killed, also by an unhandled
  /// SIGTERM, loses its unsaved changes.
  case coalesced(within: Duration)
}

extension KeyValueStore {
  /// Schedules a write of unsaved changes; returns false if they must be written at once.
  ///
  /// That is the case with durable writes, in a forked child, and if no thread can be created for a
  /// timer.
  func scheduleWrite() -> Bool {
    guard let delay else { return false }
    return startTimer(after: delay)
  }

  /// Schedules a retry after a failed write.
  ///
  /// - Parameter isBusy: Whether the cause passes without an action of the app or the user.
  func scheduleRetry(isBusy: Bool) {
    guard isBusy || delay != nil else { return }
    stopTimer()
    _ = startTimer(after: max(delay ?? .zero, .seconds(1)))
  }

  /// Whether a write is scheduled.
  var hasTimer: Bool { timer.withLock { $0 != nil } }

  /// Starts the timer unless it runs; returns false if no thread can be created.
  private func startTimer(after delay: Duration) -> Bool {
    timer.withLock { timer in
      if timer == nil {
        timer = background.run(after: delay) { [weak self] in
          guard let self else { return }
          // Later changes need a new timer.
          self.timer.withLock { $0 = nil }
          flushInTime(within: lockTimeout)
        }
      }
      return timer != nil
    }
  }

  /// Cancels the timer, unless there are unsaved changes again.
  func stopTimer(if isDone: () -> Bool = { true }) {
    let stopped = timer.withLock { timer in timer != nil && isDone() ? timer.take() : nil }
    if let stopped { background.cancel(stopped) }
  }
}

/// The stores that may have unsaved changes when the process exits.
enum StoresToFlush {
  private struct Reference: Sendable {
    weak let store: KeyValueStore?
  }

  private static let stores = {
    atexit { StoresToFlush.flush() }
    // A child must not write its parent's changes.
    return Lock([Reference](), inForkedChild: { [] })
  }()

  static func add(_ store: KeyValueStore) {
    stores.withLock { stores in
      stores.removeAll { $0.store == nil }
      stores.append(Reference(store: store))
    }
  }

  /// The longest wait for locks at the end of a process, in total.
  private static let patience = Duration.seconds(1)

  private static func flush() {
    let stores = stores.withLock { $0.compactMap(\.store) }
    let deadline = ContinuousClock.now + patience
    // A store that this thread is writing to is in the middle of a transaction, which must not be
    // written.
    for store in stores where !store.writing.isHeldByCurrentThread {
      store.flushAtExit(until: deadline)
    }
  }
}

extension KeyValueStore {
  /// Writes unsaved changes, and reports those that could not be written by a deadline.
  fileprivate func flushAtExit(until deadline: ContinuousClock.Instant) {
    if state.withLock({ $0.unsaved.isEmpty }) { return }
    while !writing.tryToBegin() {
      // Inside of a change in place, waiting for another thread's transaction may deadlock, because
      // that thread may wait for this change.
      if setting.isHeldByCurrentThread || .now >= deadline {
        return reportUnwritten(.unavailable("Another thread is writing to the store."))
      }
      usleep(1000)
    }
    defer { writing.end() }
    do {
      try flush(within: min(lockTimeout, max(.zero, deadline - .now)))
    } catch {
      reportUnwritten(error)
    }
  }
}
