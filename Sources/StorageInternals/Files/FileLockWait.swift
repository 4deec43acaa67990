import CLibrary
import Concurrency
import Dispatch

/// A thread's wait for a file lock, up to a deadline.
///
/// The kernel does not support waiting for a file lock with a deadline, so this polls. Only the
/// holder of the queue lock, a POSIX record lock on the same file, polls for the file lock, so that
/// a process that has just released the lock cannot overtake the waiting processes.
struct FileLockWait {
  private let path: String
  private let deadline: SuspendingClock.Instant
  /// The time at which this stops respecting the queue, whose lock a stopped process may hold.
  private let queueDeadline: SuspendingClock.Instant

  // In microseconds. A write that reaches the disk takes at least half a millisecond.
  private static let shortestPause: UInt32 = 50
  private static let longestPause: UInt32 = 500

  init(path: String, timeout: Duration) {
    self.path = path
    let now = SuspendingClock.now
    deadline = now.advanced(by: timeout)
    queueDeadline = now.advanced(by: .seconds(1))
  }

  /// Waits until no other thread of this process is ahead in the queue.
  func enterQueue() throws(SystemError) {
    if FileLockQueue.enter(path, until: deadline) { return }
    throw timedOut(holder: FileLockQueue.timeout(at: path)?.holder)
  }

  /// Waits until the file lock is free, and acquires it.
  func lock(_ file: borrowing File) throws(SystemError) {
    if FileLockQueue.timeout(at: path) == nil {
      if file.queueHolder == nil, try file.lockIfFree() { return }
      if try poll(file) { return }
    } else if try file.lockIfFree() {
      return FileLockQueue.setTimeout(nil, at: path)
    }
    let holder = file.lockHolder ?? file.queueHolder
    FileLockQueue.setTimeout(FileLockQueue.Timeout(holder: holder), at: path)
    throw timedOut(holder: holder)
  }

  /// Polls for the lock; returns false at the deadline.
  private func poll(_ file: borrowing File) throws(SystemError) -> Bool {
    var isNext = false
    defer { if isNext { file.leaveQueue() } }
    var pause = Self.shortestPause
    while true {
      let now = SuspendingClock.now
      if !isNext { isNext = file.enterQueue() }
      if isNext || now >= queueDeadline || now >= deadline, try file.lockIfFree() { return true }
      if now >= deadline { return false }
      usleep(pause)
      pause = min(pause * 5 / 4, Self.longestPause)
    }
  }

  private func timedOut(holder: pid_t?) -> SystemError {
    SystemError(call: .flock, path: path, code: ETIMEDOUT, holder: holder)
  }
}

/// The threads of this process that wait for file locks, in FIFO order per lock.
enum FileLockQueue {
  /// A timeout of a wait for the lock.
  struct Timeout: Sendable {
    /// The process that held the lock; nil if the kernel did not report it.
    let holder: pid_t?
  }

  private struct Entry: Sendable {
    var isTaken = false
    /// The semaphores of the waiting threads, each signalled when its thread becomes the first.
    var waiting: [DispatchSemaphore] = []
    /// The last timeout; nil if the lock has been free since.
    var timeout: Timeout?
  }

  /// The queues, by the path of the lock file.
  private static let entries = Lock([String: Entry](), inForkedChild: { [:] })

  /// Waits for the threads ahead in the queue; returns false at the deadline.
  ///
  /// A call that returns true must be balanced by a call of `leave`.
  static func enter(_ path: String, until deadline: SuspendingClock.Instant) -> Bool {
    let turn = entries.withLock { entries -> DispatchSemaphore? in
      defer { entries[path, default: Entry()].isTaken = true }
      guard entries[path]?.isTaken ?? false else { return nil }
      let turn = DispatchSemaphore(value: 0)
      entries[path]?.waiting.append(turn)
      return turn
    }
    guard let turn else { return true }
    if turn.wait(until: deadline) { return true }
    return entries.withLock { entries in
      guard let index = entries[path]?.waiting.firstIndex(where: { $0 === turn }) else {
        // The thread reached the head of the queue just after the deadline.
        return true
      }
      entries[path]?.waiting.remove(at: index)
      return false
    }
  }

  static func leave(_ path: String) {
    entries.withLock { entries in
      guard var entry = entries[path] else { return }
      if entry.waiting.isEmpty {
        entry.isTaken = false
      } else {
        entry.waiting.removeFirst().signal()
      }
      entries[path] = entry.isTaken || entry.timeout != nil ? entry : nil
    }
  }

  static func timeout(at path: String) -> Timeout? { entries.withLock { $0[path]?.timeout } }

  static func setTimeout(_ timeout: Timeout?, at path: String) {
    entries.withLock { $0[path]?.timeout = timeout }
  }
}
