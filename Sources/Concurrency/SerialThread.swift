package import Dispatch

/// A queue of closures that run one at a time, on a thread that ends when idle.
///
/// Adding a closure never blocks. With a `DispatchQueue`, it blocks if no thread can be created, as
/// at the limit `RLIMIT_NPROC`. In a forked child no closure runs.
package final class SerialThread: Sendable {
  private struct Job: Sendable {
    let number: Int
    let start: SuspendingClock.Instant
    let body: @Sendable () -> Void
  }

  private struct State: Sendable {
    /// Sorted by start.
    var jobs: [Job] = []
    var lastNumber = 0
    var hasThread = false
  }

  private let state = Lock(State(), inForkedChild: { State() })
  /// Signalled after each change of the jobs.
  private let change = DispatchSemaphore(value: 0)

  /// The time that a thread without jobs waits before it ends.
  private static let patience = Duration.seconds(1)

  private let name: StaticString

  /// - Parameter name: The name of the thread, of at most 15 bytes.
  package init(named name: StaticString = "locket") {
    self.name = name
  }

  /// Runs a closure after those that were added before.
  ///
  /// If no thread can be created, the closure waits for the next addition that can create one.
  package func run(_ body: @escaping @Sendable () -> Void) {
    _ = add(after: .zero, isKept: true, body)
  }

  /// Runs a closure after a delay.
  ///
  /// - Returns: A number with which to cancel it; nil if there is no thread, so that the closure
  ///   never runs.
  package func run(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> Int? {
    add(after: max(.zero, delay), isKept: false, body)
  }

  /// Removes a closure, unless it has begun or is about to.
  package func cancel(_ number: Int) {
    if Fork.isChild { return }
    // Released outside of the lock: releasing the captured objects may run an app's code.
    let dropped = state.withLock { state in
      state.jobs.firstIndex { $0.number == number }.map { state.jobs.remove(at: $0) }
    }
    change.signal()
    withExtendedLifetime(dropped) {}
  }

  private func add(
    after delay: Duration, isKept: Bool, _ body: @escaping @Sendable () -> Void
  ) -> Int? {
    if Fork.isChild { return nil }
    defer { change.signal() }
    return state.withLock { state in
      state.lastNumber += 1
      let job = Job(number: state.lastNumber, start: .now + delay, body: body)
      let place = (state.jobs.lastIndex { $0.start <= job.start } ?? -1) + 1
      state.jobs.insert(job, at: place)
      if !state.hasThread {
        state.hasThread = DetachedThread.start(named: name) { self.work() } == 0
      }
      if state.hasThread || isKept { return job.number }
      state.jobs.remove(at: place)
      return nil
    }
  }

  private func work() {
    while let due = waitForDue() {
      for job in due {
        job.body()
        // The job forked, and this is the child: it runs no further jobs.
        if Fork.isChild { return }
      }
    }
  }

  /// Waits for due jobs and returns them; nil if the thread must end.
  private func waitForDue() -> [Job]? {
    let idleEnd = SuspendingClock.now + Self.patience
    while true {
      let now = SuspendingClock.now
      let (due, wakeUp) = state.withLock { state -> ([Job], SuspendingClock.Instant?) in
        let due = Array(state.jobs.prefix { $0.start <= now })
        state.jobs.removeFirst(due.count)
        let wakeUp = state.jobs.first?.start ?? (now < idleEnd ? idleEnd : nil)
        state.hasThread = !due.isEmpty || wakeUp != nil
        return (due, wakeUp)
      }
      if !due.isEmpty { return due }
      guard let wakeUp else { return nil }
      _ = change.wait(until: wakeUp)
    }
  }
}

extension DispatchSemaphore {
  /// Waits for a signal, and returns false at a deadline.
  package func wait(until deadline: SuspendingClock.Instant) -> Bool {
    // Longer waits than the C library's clock can express are cut to decades.
    let patience = min(max(.zero, deadline - .now) / .nanoseconds(1), 1e18)
    return wait(timeout: .now() + .nanoseconds(Int(patience))) == .success
  }
}
