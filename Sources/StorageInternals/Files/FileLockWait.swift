import CLibrary
import Concurrency
import Dispatch

/// A thread's wait for a file lock, up to a deadline.
///
/// The kernel does not support a deadline for a file lock, so the lock is polled, by the first of
/// the waiting processes only. The others poll their places in a queue of POSIX record locks on the
/// same file. All pause so long that together they do not delay the writer: on a machine with busy
/// processors, some thousand wake-ups a second would also delay the kernel's threads that write to
/// the disk, for seconds.
struct FileLockWait {
  private let path: String
  private let turn: Duration
  private let deadline: SuspendingClock.Instant
  /// The time after which the queue is ignored, because a stopped process may hold its lock.
  private let queueDeadline: SuspendingClock.Instant

  // In microseconds. A write that reaches the disk takes at least half a millisecond.
  private static let shortestPause: UInt32 = 50
  private static let longestPause: UInt32 = 2000
  /// The pause for each process ahead, up to a number.
  private static let queuePause: UInt32 = 4000
  private static let longestQueue = 8

  init(path: String, timeout: Duration, queueTimeout: Duration, turn: Duration) {
    self.path = path
    self.turn = turn
    let now = SuspendingClock.now
    deadline = now.advanced(by: timeout)
    queueDeadline = now.advanced(by: queueTimeout)
  }

  /// Waits until no other thread of this process is ahead in the queue.
  func enterQueue() throws(SystemError) {
    if FileLockQueue.enter(path, until: deadline) { return }
    throw timedOut(holder: FileLockQueue.timeout(at: path)?.holder)
  }

  /// Waits until the file lock is free, and acquires it.
  func lock(_ file: borrowing File) throws(SystemError) {
    let hasTurn = FileLockQueue.hasTurn(at: path)
    let isTimedOut = FileLockQueue.timeout(at: path) != nil
    var isLocked = false
    if hasTurn || isTimedOut || file.waitingProcess() == nil { isLocked = try file.lockIfFree() }
    if !isLocked, !isTimedOut { isLocked = try poll(file) }
    guard isLocked else {
      let holder = file.lockHolder ?? file.waitingProcess()
      FileLockQueue.setTimeout(FileLockQueue.Timeout(holder: holder), at: path)
      throw timedOut(holder: holder)
    }
    if !hasTurn { FileLockQueue.beginTurn(at: path, until: .now + turn) }
    if isTimedOut { FileLockQueue.setTimeout(nil, at: path) }
  }

  /// Polls for the lock; returns false at the deadline.
  private func poll(_ file: borrowing File) throws(SystemError) -> Bool {
    var place: off_t?
    defer { if place != nil { file.leaveQueue() } }
    var pause = Self.shortestPause
    while true {
      let now = SuspendingClock.now
      place = place ?? file.enterQueue()
      let ahead = if let place { file.waitingCount(before: place) } else { 1 }
      if ahead == 0 || now >= queueDeadline || now >= deadline, try file.lockIfFree() {
        return true
      }
      if now >= deadline { return false }
      if ahead == 0 {
        usleep(pause)
        pause = min(pause * 5 / 4, Self.longestPause)
      } else {
        usleep(Self.queuePause * UInt32(min(ahead, Self.longestQueue)))
      }
    }
  }

  private func timedOut(holder: pid_t?) -> SystemError {
    SystemError(call: .flock, path: path, code: ETIMEDOUT, holder: holder)
  }
}

/// The threads of this process that wait for file locks, in FIFO order per lock.
enum FileLockQueue {
  /// A wait for the lock that timed out.
  struct Timeout: Sendable {
    /// The process that held the lock; nil if the kernel did not report it.
    let holder: pid_t?
  }

  private struct Entry: Sendable {
    var isOccupied = false
    /// The semaphores of the waiting threads, each signalled when its thread becomes the first.
    var waiting: [DispatchSemaphore] = []
    /// The last timeout; nil if the lock has been free since.
    var timeout: Timeout?
  }

  /// The queues, by the path of the lock file.
  private static let entries = Lock([String: Entry](), inForkedChild: { [:] })

  /// Enters the queue and waits for the threads ahead; returns false at the deadline.
  ///
  /// A call that returns true must be balanced by a call of `leave`.
  static func enter(_ path: String, until deadline: SuspendingClock.Instant) -> Bool {
    let semaphore = entries.withLock { entries -> DispatchSemaphore? in
      defer { entries[path, default: Entry()].isOccupied = true }
      guard entries[path]?.isOccupied ?? false else { return nil }
      let semaphore = DispatchSemaphore(value: 0)
      entries[path]?.waiting.append(semaphore)
      return semaphore
    }
    guard let semaphore else { return true }
    if semaphore.wait(until: deadline) { return true }
    return entries.withLock { entries in
      guard let index = entries[path]?.waiting.firstIndex(where: { $0 === semaphore }) else {
        // The thread reached the head of the queue just after the deadline.
        return true
      }
      entries[path]?.waiting.remove(at: index)
      return false
    }
  }

  /// Leaves the queue and wakes the next thread.
  static func leave(_ path: String) {
    entries.withLock { entries in
      guard var entry = entries[path] else { return }
      if entry.waiting.isEmpty {
        entry.isOccupied = false
      } else {
        entry.waiting.removeFirst().signal()
      }
      entries[path] = entry.isOccupied || entry.timeout != nil ? entry : nil
    }
  }

  /// A time until which this process may acquire a lock again without waiting for others.
  private struct Turn: Sendable {
    let path: String
    let end: SuspendingClock.Instant
  }

  /// The last turn, of any lock.
  private static let turn = Lock(Turn?.none, inForkedChild: { nil })

  static func hasTurn(at path: String) -> Bool {
    turn.withLock { $0.map { $0.path == path && .now < $0.end } ?? false }
  }

  static func beginTurn(at path: String, until end: SuspendingClock.Instant) {
    turn.withLock { $0 = Turn(path: path, end: end) }
  }

  static func timeout(at path: String) -> Timeout? { entries.withLock { $0[path]?.timeout } }

  static func setTimeout(_ timeout: Timeout?, at path: String) {
    entries.withLock { $0[path]?.timeout = timeout }
  }
}
