import CLibrary
import Concurrency
import Dispatch

/// A thread's wait for a file lock, up to a deadline.
///
/// The kernel does not support a deadline for a file lock, so the lock is polled, by the first of
/// the waiting processes only. The others poll their places in a queue of POSIX record locks on the
/// same file. Pauses and turns are proportional to the time of a write, so that waiting processes
/// do not delay the writer, and the slowest of N writers waits for about 2 * N writes.
struct FileLockWait {
  private let path: String
  private let turn: Duration
  private let deadline: SuspendingClock.Instant
  /// The time after which the queue is ignored, because a stopped process may hold its lock.
  private let queueDeadline: SuspendingClock.Instant
  /// What this process remembered of the lock when the wait began.
  private let past: FileLockQueue.Past

  // In microseconds. A write that reaches the disk takes at least half a millisecond.
  private static let shortestPause: UInt32 = 50
  private static let longestPause: UInt32 = 2000
  private static let shortestQueuePause = Duration.milliseconds(1)
  /// The maximum number of processes ahead for each of which a process pauses.
  private static let longestQueue = 8

  /// Waits until no other thread of this process is ahead in the queue.
  init(
    path: String, timeout: Duration, queueTimeout: Duration, turn: Duration
  ) throws(SystemError) {
    self.path = path
    self.turn = turn
    let now = SuspendingClock.now
    deadline = now.advanced(by: timeout)
    queueDeadline = now.advanced(by: queueTimeout)
    let (isFirst, past) = FileLockQueue.enter(path, until: deadline)
    self.past = past
    if !isFirst { throw timedOut(holder: past.timeout?.holder) }
  }

  /// Waits until the file lock is free, and acquires it; returns the start of this process's turn,
  /// or nil if it keeps the last one.
  func lock(_ file: borrowing File) throws(SystemError) -> SuspendingClock.Instant? {
    let length = past.turn?.length(atMost: turn) ?? turn
    let hasTurn = past.turn.map { .now < $0.start + length } ?? false
    let isTimedOut = past.timeout != nil
    var isLocked = false
    if hasTurn || isTimedOut || file.waitingProcess() == nil { isLocked = try file.lockIfFree() }
    let keepsTurn = hasTurn && isLocked
    if !isLocked, !isTimedOut {
      isLocked = try poll(file, queuePause: max(length, Self.shortestQueuePause))
    }
    guard isLocked else {
      let holder = file.lockHolder ?? file.waitingProcess()
      FileLockQueue.setTimeout(FileLockQueue.Timeout(holder: holder), at: path)
      throw timedOut(holder: holder)
    }
    if isTimedOut { FileLockQueue.setTimeout(nil, at: path) }
    return keepsTurn ? nil : .now
  }

  /// Polls for the lock, with a pause for each process ahead; returns false at the deadline.
  private func poll(_ file: borrowing File, queuePause: Duration) throws(SystemError) -> Bool {
    let hasQueue = !file.hasEmulatedLock
    var place: off_t?
    defer { if place != nil { file.leaveQueue() } }
    var pause = Self.shortestPause
    while true {
      let now = SuspendingClock.now
      if hasQueue { place = place ?? file.enterQueue() }
      let ahead = if let place { file.waitingCount(before: place) } else { hasQueue ? 1 : 0 }
      if ahead == 0 || now >= queueDeadline || now >= deadline, try file.lockIfFree() {
        return true
      }
      if now >= deadline { return false }
      if ahead == 0 {
        usleep(pause)
        pause = min(pause * 5 / 4, Self.longestPause)
      } else {
        usleep(UInt32(queuePause * min(ahead, Self.longestQueue) / .microseconds(1)))
      }
    }
  }

  private func timedOut(holder: pid_t?) -> SystemError {
    SystemError(call: .flock, path: path, code: ETIMEDOUT, holder: holder)
  }
}

/// The threads of this process that wait for file locks, in FIFO order per lock.
enum FileLockQueue {
  struct Timeout: Sendable {
    /// The process that held the lock; nil if the kernel did not report it.
    let holder: pid_t?
  }

  /// A time in which this process may acquire a lock again without waiting for others.
  struct Turn: Sendable {
    let path: String
    let start: SuspendingClock.Instant
    /// The time for which the lock was held at first.
    let hold: Duration

    /// The time in which a second write may begin, but not a third one.
    func length(atMost limit: Duration) -> Duration { min(limit, hold * 3 / 2) }
  }

  /// The last turn at a lock, and its last timeout if the lock has not been free since.
  typealias Past = (turn: Turn?, timeout: Timeout?)

  private struct State: Sendable {
    /// The threads that wait behind another one, by the path of the lock file, each with a
    /// semaphore that is signaled when the thread becomes the first.
    var waiting: [String: [DispatchSemaphore]] = [:]
    /// The last timeout of each lock that has not been free since.
    var timeouts: [String: Timeout] = [:]
    /// The last turn, at any lock.
    var lastTurn: Turn?

    func past(of path: String) -> Past {
      (lastTurn?.path == path ? lastTurn : nil, timeouts[path])
    }
  }

  private static let state = Lock(State())

  /// Enters the queue and waits for the threads ahead; returns false at the deadline.
  ///
  /// A call that returns true must be balanced by a call of `leave`.
  static func enter(
    _ path: String, until deadline: SuspendingClock.Instant
  ) -> (isFirst: Bool, past: Past) {
    let (semaphore, past) = state.withLock { state -> (DispatchSemaphore?, Past) in
      if state.waiting[path] == nil {
        state.waiting[path] = []
        return (nil, state.past(of: path))
      }
      let semaphore = DispatchSemaphore(value: 0)
      state.waiting[path]?.append(semaphore)
      return (semaphore, state.past(of: path))
    }
    guard let semaphore else { return (true, past) }
    let isInTime = semaphore.wait(until: deadline)
    return state.withLock { state in
      // Otherwise, the thread reached the head of the queue, perhaps just after the deadline.
      if !isInTime, let index = state.waiting[path]?.firstIndex(where: { $0 === semaphore }) {
        state.waiting[path]?.remove(at: index)
        return (false, state.past(of: path))
      }
      return (true, state.past(of: path))
    }
  }

  /// Leaves the queue and wakes the next thread, after a turn that began at `start`.
  static func leave(_ path: String, since start: SuspendingClock.Instant? = nil) {
    state.withLock { state in
      if let start {
        state.lastTurn = Turn(path: path, start: start, hold: start.duration(to: .now))
      }
      if state.waiting[path]?.isEmpty ?? true {
        state.waiting[path] = nil
      } else {
        state.waiting[path]?.removeFirst().signal()
      }
    }
  }

  static func setTimeout(_ timeout: Timeout?, at path: String) {
    state.withLock { $0.timeouts[path] = timeout }
  }
}
