package import Dispatch

/// A few threads that run the closures of any number of serial queues.
///
/// At most `concurrency` closures run at once. A closure that has run for longer than `patience` is
/// not counted, so if it blocks, it delays only its own queue, unless all `limit` threads block.
///
/// Adding a closure never blocks; a `DispatchQueue` does if threads are limited (`RLIMIT_NPROC`).
package final class ThreadPool: Sendable {
  /// The pool for the work of this library.
  package static let work = ThreadPool(named: "locket")
  /// The pool for handlers of the app, which may block.
  package static let handlers = ThreadPool(named: "locket-handler")

  /// A closure that a serial queue runs.
  package struct Job: Sendable {
    package struct ID: Hashable, Sendable {
      let start: SuspendingClock.Instant
      /// The number of jobs that were added earlier.
      let number: Int
    }

    let id: ID
    let queue: SerialQueue
    let body: @Sendable () -> Void
  }

  private let state: Lock<ThreadPoolState>
  /// Signaled for a thread without a job to check the state again.
  private let stateChanged = DispatchSemaphore(value: 0)
  /// Starts a thread; returns an error number, or 0.
  private let startThread: @Sendable (_ body: @escaping @Sendable () -> Void) -> Int32

  /// The time after which a thread without a job ends.
  private static let idleTimeout = Duration.seconds(1)

  package init(
    named name: StaticString, concurrency: Int = 4, limit: Int = 64,
    patience: Duration = .milliseconds(10),
    startingThreadsWith start: (@Sendable (@escaping @Sendable () -> Void) -> Int32)? = nil
  ) {
    state = Lock(ThreadPoolState(concurrency: concurrency, limit: limit, patience: patience))
    startThread = start ?? { DetachedThread.start(named: name, $0) }
  }

  /// Whether the calling thread is running a job of this pool.
  package var isCurrent: Bool { state.withLock { $0.isRunningOnCurrentThread } }

  /// Adds a closure to a queue; returns nil if no thread will run it and `staysQueued` is false.
  func add(
    _ body: @escaping @Sendable () -> Void, to queue: SerialQueue, after delay: Duration,
    staysQueued: Bool
  ) -> Job.ID? {
    state.withLock { state in
      let now = SuspendingClock.now
      state.lastNumber += 1
      let id = Job.ID(start: now + delay, number: state.lastNumber)
      state.add(Job(id: id, queue: queue, body: body), at: now)
      let isProvided = provideThread(&state, at: now)
      if isProvided || staysQueued || state.expectsEndOfJob(at: now) { return id }
      _ = state.remove(id, of: queue)
      return nil
    }
  }

  func cancel(_ id: Job.ID, of queue: SerialQueue) {
    // The job is released outside the lock, because releasing captured objects may run any code.
    let cancelled = state.withLock { state in
      wakeIdleThread(&state)
      return state.remove(id, of: queue)
    }
    withExtendedLifetime(cancelled) {}
  }

  /// Makes a thread check the state as soon as the next job may start; returns whether one will.
  @discardableResult
  private func provideThread(
    _ state: inout ThreadPoolState, at now: SuspendingClock.Instant
  ) -> Bool {
    guard let start = state.nextStart(at: now) else { return true }
    if let check = state.nextCheck, check <= start { return true }
    if state.idleCount == 0 {
      guard state.running.count < state.limit, startThread({ self.work() }) == 0 else {
        return false
      }
      state.idleCount = 1
    }
    wakeIdleThread(&state)
    return true
  }

  /// Makes an idle thread check the state, because its next job or its end may be due earlier.
  private func wakeIdleThread(_ state: inout ThreadPoolState) {
    if state.idleCount == 0 { return }
    stateChanged.signal()
    state.nextCheck = .now
  }

  private func work() {
    var finished: SerialQueue?
    while let job = waitForJob(after: finished) {
      job.body()
      // If the job forked, this is the child, which runs no further jobs.
      if Fork.isChild { return }
      finished = job.queue
    }
  }

  /// Returns the next job of the calling thread; returns nil if the thread must end.
  ///
  /// `finished` is the queue of the thread's last job; nil for a new thread.
  private func waitForJob(after finished: SerialQueue?) -> Job? {
    let idleEnd = SuspendingClock.now + Self.idleTimeout
    var finished = finished
    while true {
      let (job, wakeUp) = state.withLock { state -> (Job?, SuspendingClock.Instant?) in
        let now = SuspendingClock.now
        if let queue = finished.take() { state.finish(queue) } else { state.nextCheck = nil }
        let job = state.start(at: now)
        let start = state.nextStart(at: now)
        let canEnd = start == nil || state.idleCount > 1
        if job != nil || canEnd && now >= idleEnd {
          state.idleCount -= 1
          provideThread(&state, at: now)
          if job == nil { wakeIdleThread(&state) }
          return (job, nil)
        }
        let wakeUp = [start, canEnd ? idleEnd : nil, state.nextCheck].compactMap { $0 }.min()
        state.nextCheck = wakeUp
        return (nil, wakeUp)
      }
      guard let wakeUp else { return job }
      _ = stateChanged.wait(until: wakeUp)
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
