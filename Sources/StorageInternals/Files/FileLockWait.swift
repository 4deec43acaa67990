import CLibrary
import Concurrency
import Dispatch

/// A thread's wait for a file lock, up to a deadline.
///
/// The kernel does not support a deadline for a file lock, so the lock is polled. Only the
/// holder of the queue lock, a POSIX record lock on the same file, polls for the file lock, so that
/// a process that has just released the lock cannot overtake the waiting processes.
struct FileLockWait {
  private let path: String
  private let deadline: SuspendingClock.Instant
  /// The time after which the queue is ignored, because a stopped process may hold its lock.
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
  /// A call that returns true must be balanced by a call to `leave`.
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

  static func timeout(at path: String) -> Timeout? { entries.withLock { $0[path]?.timeout } }

  static func setTimeout(_ timeout: Timeout?, at path: String) {
    entries.withLock { $0[path]?.timeout = timeout }
  }
}
