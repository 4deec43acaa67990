import Dispatch

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// One thread's wait for a file's lock, up to a deadline.
///
/// The kernel has no wait with a deadline, so this polls. Of the processes that wait, only the one
/// with the queue's lock polls for the lock itself, so that a process that has just released the
/// lock cannot take it again before the others. The queue's lock is a POSIX record lock on the same
/// file.
struct FileLockWait {
  private let path: String
  private let deadline: SuspendingClock.Instant
  /// The end of respect for the queue: its lock may be held by a stopped process.
  private let queueDeadline: SuspendingClock.Instant

  private static let shortestPause: UInt32 = 50
  /// In microseconds; a write takes as long as the disk, which is half a millisecond and more.
  private static let longestPause: UInt32 = 500

  init(path: String, timeout: Duration) {
    self.path = path
    let now = SuspendingClock.now
    deadline = now.advanced(by: timeout)
    queueDeadline = now.advanced(by: .seconds(1))
  }

  /// Waits for the threads of this process that asked before.
  func enterQueue() throws(SystemError) {
    if FileLockQueue.enter(path, until: deadline) { return }
    throw timedOut(holder: FileLockQueue.holder(at: path))
  }

  /// Waits for the other processes.
  func lock(_ file: borrowing File) throws(SystemError) {
    if file.queueHolder == nil, try file.lockIfFree() {
      return FileLockQueue.forgetTimeout(at: path)
    }
    if !FileLockQueue.hasTimedOut(at: path) {
      if try poll(file) { return }
    } else if try file.lockIfFree() {
      return FileLockQueue.forgetTimeout(at: path)
    }
    let holder = file.lockHolder ?? file.queueHolder
    FileLockQueue.noteTimeout(at: path, holder: holder)
    throw timedOut(holder: holder)
  }

  /// Returns false at the deadline.
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

/// The threads of this process that want a file's lock, in the order in which they asked.
enum FileLockQueue {
  private struct Entry: Sendable {
    var isTaken = false
    var waiting: [Waiter] = []
    /// The wait for the lock has timed out, and the lock was not free since.
    var hasTimedOut = false
    var holder: pid_t?

    var isNeeded: Bool { isTaken || hasTimedOut }
  }

  private final class Waiter: Sendable {
    let isFirst = DispatchSemaphore(value: 0)
  }

  /// By the path of the lock.
  private static let entries = Lock([String: Entry](), inForkedChild: { [:] })

  /// Waits for the threads that asked before, and returns false at the deadline.
  ///
  /// After true, `leave` must follow.
  static func enter(_ path: String, until deadline: SuspendingClock.Instant) -> Bool {
    let waiter = entries.withLock { entries -> Waiter? in
      defer { entries[path, default: Entry()].isTaken = true }
      guard entries[path]?.isTaken ?? false else { return nil }
      let waiter = Waiter()
      entries[path]?.waiting.append(waiter)
      return waiter
    }
    guard let waiter else { return true }
    let patience = max(.zero, deadline - .now) / .nanoseconds(1)
    let limit = DispatchTime.now() + .nanoseconds(Int(min(patience, 1e18)))
    if waiter.isFirst.wait(timeout: limit) == .success { return true }
    return entries.withLock { entries in
      guard let place = entries[path]?.waiting.firstIndex(where: { $0 === waiter }) else {
        // The queue came to this thread at the same moment.
        return true
      }
      entries[path]?.waiting.remove(at: place)
      return false
    }
  }

  static func leave(_ path: String) {
    entries.withLock { entries in
      guard var entry = entries[path] else { return }
      if entry.waiting.isEmpty {
        entry.isTaken = false
      } else {
        entry.waiting.removeFirst().isFirst.signal()
      }
      entries[path] = entry.isNeeded ? entry : nil
    }
  }

  static func hasTimedOut(at path: String) -> Bool {
    entries.withLock { $0[path]?.hasTimedOut ?? false }
  }

  static func noteTimeout(at path: String, holder: pid_t?) {
    entries.withLock { entries in
      entries[path]?.hasTimedOut = true
      entries[path]?.holder = holder
    }
  }

  static func forgetTimeout(at path: String) {
    entries.withLock { entries in
      entries[path]?.hasTimedOut = false
      entries[path]?.holder = nil
    }
  }

  /// The process that held the lock when the wait for it timed out, where the kernel told.
  static func holder(at path: String) -> pid_t? {
    entries.withLock { $0[path]?.holder }
  }
}
