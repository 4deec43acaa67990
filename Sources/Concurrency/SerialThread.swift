import CLibrary
package import Dispatch

/// A queue that runs closures one at a time, on a thread that ends when it is idle.
///
/// Adding a closure never blocks. A `DispatchQueue`, in contrast, blocks if no thread can be
/// created, for example because of `RLIMIT_NPROC`. No closure runs in a forked child.
package final class SerialThread: Sendable {
  private struct Job: Sendable {
    let id: Int
    let start: SuspendingClock.Instant
    let body: @Sendable () -> Void
  }

  private struct State: Sendable {
    /// The pending jobs, sorted by start.
    var jobs: [Job] = []
    /// The due jobs that have not started, in reverse order.
    var due: [Job] = []
    var lastID = 0
    var hasThread = false
  }

  private let state = Lock(State(), inForkedChild: { State() })
  /// Signalled whenever the jobs change.
  private let jobsChanged = DispatchSemaphore(value: 0)

  /// The time after which an idle thread ends.
  private static let idleTimeout = Duration.seconds(1)

  private let name: StaticString

  /// - Parameter name: The name of the thread, at most 15 bytes long.
  package init(named name: StaticString = "locket") { self.name = name }

  /// Runs a closure after all closures that are due earlier.
  ///
  /// If no thread can be created, the closure stays in the queue until a later call creates one.
  package func run(_ body: @escaping @Sendable () -> Void) {
    _ = add(after: .zero, staysQueued: true, body)
  }

  /// Runs a closure after a delay.
  ///
  /// - Returns: An identifier for `cancel(_:)`, or nil if no thread could be created and the
  ///   closure will never run.
  package func run(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> Int? {
    add(after: max(.zero, delay), staysQueued: false, body)
  }

  /// Cancels a closure that has not started.
  package func cancel(_ id: Int) {
    if Fork.isChild || locketBreak(2) { return }
    // Released outside the lock, because releasing captured objects may run arbitrary code.
    let cancelled = state.withLock { state -> Job? in
      if let index = state.jobs.firstIndex(where: { $0.id == id }) {
        return state.jobs.remove(at: index)
      }
      return state.due.firstIndex { $0.id == id }.map { state.due.remove(at: $0) }
    }
    jobsChanged.signal()
    withExtendedLifetime(cancelled) {}
  }

  private func add(
    after delay: Duration, staysQueued: Bool, _ body: @escaping @Sendable () -> Void
  ) -> Int? {
    if Fork.isChild { return nil }
    defer { jobsChanged.signal() }
    return state.withLock { state in
      state.lastID += 1
      let job = Job(id: state.lastID, start: .now + delay, body: body)
      let index = (state.jobs.lastIndex { $0.start <= job.start } ?? -1) + 1
      state.jobs.insert(job, at: index)
      if !state.hasThread {
        state.hasThread = DetachedThread.start(named: name) { self.work() } == 0
      }
      if state.hasThread || staysQueued { return job.id }
      state.jobs.remove(at: index)
      return nil
    }
  }

  private func work() {
    while let job = waitForDueJob() {
      job.body()
      // If the job forked, this is the child, which runs no further jobs.
      if Fork.isChild { return }
    }
  }

  /// Waits for the next due job; returns nil if the thread must end.
  private func waitForDueJob() -> Job? {
    let idleEnd = SuspendingClock.now + Self.idleTimeout
    while true {
      let now = SuspendingClock.now
      let (job, wakeUp) = state.withLock { state -> (Job?, SuspendingClock.Instant?) in
        if state.due.isEmpty {
          state.due = state.jobs.prefix { $0.start <= now }.reversed()
          state.jobs.removeFirst(state.due.count)
        }
        let job = state.due.popLast()
        let wakeUp = state.jobs.first?.start ?? (now < idleEnd ? idleEnd : nil)
        state.hasThread = job != nil || wakeUp != nil
        return (job, wakeUp)
      }
      if let job { return job }
      guard let wakeUp else { return nil }
      _ = jobsChanged.wait(until: wakeUp)
    }
  }
}

extension DispatchSemaphore {
  /// Waits for a signal; returns false if the deadline passes first.
  package func wait(until deadline: SuspendingClock.Instant) -> Bool {
    // The C library's clock cannot represent longer waits; 1e18 nanoseconds are 31 years.
    let timeout = min(max(.zero, deadline - .now) / .nanoseconds(1), 1e18)
    return wait(timeout: .now() + .nanoseconds(Int(timeout))) == .success
  }
}
