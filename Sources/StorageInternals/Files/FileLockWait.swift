import CLibrary
import Concurrency
import Dispatch

/// A thread's wait for a file lock, up to a deadline.
///
/// The kernel has no deadline for a file lock, so the first of the waiting processes polls the
/// lock, and the others poll their places in a queue of POSIX record locks on the same file. Pauses
/// and turns are proportional to the time of a write, so that the slowest of N writers waits for
/// about 2 * N writes.
struct FileLockWait {
  private let path: String
  private let turn: Duration
  private let deadline: SuspendingClock.Instant
  /// The time after which the queue is ignored, because a stopped process may hold its lock.
  private let queueDeadline: SuspendingClock.Instant
  private let past: FileLockQueue.Past

  // The limits of the pause between polls, in µs; a write that reaches the disk takes 500 or more.
  private static let shortestPause: UInt32 = 50
  private static let longestPause: UInt32 = 2000
  private static let shortestQueuePause = Duration.milliseconds(1)
  /// The number of processes ahead above which pauses become no longer.
  private static let longestQueue = 8

  /// Enters the queue of this process, and waits for the threads ahead; throws at the deadline.
  init(
    path: String, timeout: Duration, queueTimeout: Duration, turn: Duration
  ) throws(SystemError) {
    self.path = path
    self.turn = turn
    deadline = .now + timeout
    queueDeadline = .now + queueTimeout
    past = try FileLockQueue.enter(path, until: deadline)
  }

  /// Waits until the file lock is free, and acquires it; returns the start of this process's turn,
  /// or nil if its last turn continues.
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
      let timeout = SystemError(
        call: .flock, path: path, code: ETIMEDOUT, holder: file.lockHolder ?? file.waitingProcess())
      FileLockQueue.setTimeout(timeout, at: path)
      throw timeout
    }
    if isTimedOut { FileLockQueue.setTimeout(nil, at: path) }
    return keepsTurn ? nil : .now
  }

  /// Polls the lock, and pauses longer the more processes are ahead; returns false at the deadline.
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
}

/// The threads of this process that wait for file locks, in FIFO order per lock.
enum FileLockQueue {
  /// A time in which this process may acquire a lock again without waiting for others.
  struct Turn: Sendable {
    let path: String
    let start: SuspendingClock.Instant
    /// The time for which the lock was first held in the turn.
    let hold: Duration

    /// Returns the time in which a second write may begin, but not a third one.
    func length(atMost limit: Duration) -> Duration { min(limit, hold * 3 / 2) }
  }

  /// The last turn at a lock, and the last timeout if the lock has not been free since.
  typealias Past = (turn: Turn?, timeout: SystemError?)

  private struct State: Sendable {
    /// The threads that wait behind another one, by the path of the lock file.
    var waiting: [String: [DispatchSemaphore]] = [:]
    var timeouts: [String: SystemError] = [:]
    /// The last turn, at any lock.
    var lastTurn: Turn?

    func past(of path: String) -> Past { (lastTurn?.path == path ? lastTurn : nil, timeouts[path]) }
  }

  private static let state = Lock(State())

  /// Enters the queue and waits for the threads ahead; throws a timeout at the deadline, and
  /// otherwise requires a call of `leave`.
  static func enter(
    _ path: String, until deadline: SuspendingClock.Instant
  ) throws(SystemError) -> Past {
    let (semaphore, past) = state.withLock { state in
      let semaphore = state.waiting[path] == nil ? nil : DispatchSemaphore(value: 0)
      if let semaphore { state.waiting[path]?.append(semaphore) } else { state.waiting[path] = [] }
      return (semaphore, state.past(of: path))
    }
    guard let semaphore else { return past }
    let isInTime = semaphore.wait(until: deadline)
    return try state.withLock { state throws(SystemError) in
      // A thread whose semaphore is not in the queue is at its head, maybe just after the deadline.
      if !isInTime, let index = state.waiting[path]?.firstIndex(where: { $0 === semaphore }) {
        state.waiting[path]?.remove(at: index)
        throw state.timeouts[path] ?? SystemError(call: .flock, path: path, code: ETIMEDOUT)
      }
      return state.past(of: path)
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

  static func setTimeout(_ timeout: SystemError?, at path: String) {
    state.withLock { $0.timeouts[path] = timeout }
  }
}
