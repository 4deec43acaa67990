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

  // In microseconds. A write that reaches the disk takes at least half a millisecond.
  private static let shortestPause: UInt32 = 50
  private static let longestPause: UInt32 = 2000
  private static let shortestQueuePause = Duration.milliseconds(1)
  /// The maximum number of processes ahead for each of which a process pauses.
  private static let longestQueue = 8

  /// Enters the queue of this process, and waits for the threads ahead.
  init(
    path: String, timeout: Duration, queueTimeout: Duration, turn: Duration
  ) throws(SystemError) {
    self.path = path
    self.turn = turn
    let now = SuspendingClock.now
    deadline = now.advanced(by: timeout)
    queueDeadline = now.advanced(by: queueTimeout)
    if FileLockQueue.enter(path, until: deadline) { return }
    throw FileLockQueue.last(at: path).timeout
      ?? SystemError(call: .flock, path: path, code: ETIMEDOUT)
  }

  func lock(_ file: borrowing File) throws(SystemError) {
    let (last, timeout) = FileLockQueue.last(at: path)
    let length = last?.length(atMost: turn) ?? turn
    let hasTurn = last.map { .now < $0.start + length } ?? false
    var isLocked = false
    if hasTurn || timeout != nil || file.waitingProcess() == nil {
      isLocked = try file.lockIfFree()
    }
    if hasTurn, isLocked, timeout == nil { return }
    if !isLocked, timeout == nil {
      isLocked = try poll(file, queuePause: max(length, Self.shortestQueuePause))
    }
    guard isLocked else {
      let timeout = SystemError(
        call: .flock, path: path, code: ETIMEDOUT, holder: file.lockHolder ?? file.waitingProcess())
      FileLockQueue.setTimeout(timeout, at: path)
      throw timeout
    }
    FileLockQueue.beginTurn(at: path)
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
}

/// The threads of this process that wait for file locks, in FIFO order per lock.
enum FileLockQueue {
  /// A time in which this process may acquire a lock again without waiting for others.
  struct Turn: Sendable {
    let path: String
    var start = SuspendingClock.now
    /// The time for which the lock was held at first; nil until it is released.
    var hold: Duration?

    /// The time in which a second write may begin, but not a third one.
    func length(atMost limit: Duration) -> Duration { min(limit, (hold ?? limit) * 3 / 2) }
  }

  private struct State: Sendable {
    /// The threads that wait behind another one, by the path of the lock file.
    var waiting: [String: [DispatchSemaphore]] = [:]
    /// The last timeout of each lock that has not been free since.
    var timeouts: [String: SystemError] = [:]
    /// The last turn, at any lock.
    var lastTurn: Turn?
  }

  private static let state = Lock(State())

  /// Enters the queue and waits for the threads ahead; returns false at the deadline, and otherwise
  /// requires a call of `leave`.
  static func enter(_ path: String, until deadline: SuspendingClock.Instant) -> Bool {
    let semaphore = state.withLock { state -> DispatchSemaphore? in
      if state.waiting[path] == nil {
        state.waiting[path] = []
        return nil
      }
      let semaphore = DispatchSemaphore(value: 0)
      state.waiting[path]?.append(semaphore)
      return semaphore
    }
    guard let semaphore, !semaphore.wait(until: deadline) else { return true }
    return state.withLock { state in
      guard let index = state.waiting[path]?.firstIndex(where: { $0 === semaphore }) else {
        // The thread reached the head of the queue just after the deadline.
        return true
      }
      state.waiting[path]?.remove(at: index)
      return false
    }
  }

  static func leave(_ path: String) {
    state.withLock { state in
      if let last = state.lastTurn, last.path == path, last.hold == nil {
        state.lastTurn?.hold = last.start.duration(to: .now)
      }
      if state.waiting[path]?.isEmpty ?? true {
        state.waiting[path] = nil
      } else {
        state.waiting[path]?.removeFirst().signal()
      }
    }
  }

  static func last(at path: String) -> (turn: Turn?, timeout: SystemError?) {
    state.withLock { ($0.lastTurn?.path == path ? $0.lastTurn : nil, $0.timeouts[path]) }
  }

  static func beginTurn(at path: String) {
    state.withLock { state in
      state.lastTurn = Turn(path: path)
      state.timeouts[path] = nil
    }
  }

  static func setTimeout(_ timeout: SystemError, at path: String) {
    state.withLock { $0.timeouts[path] = timeout }
  }
}
