import CLibrary
import Concurrency
import Dispatch

/// One thread's wait for a file's lock, up to a deadline.
///
/// The kernel offers no wait with a deadline, so this polls. Only the process with the queue lock
/// polls for the lock itself, so that a process that has just released the lock cannot overtake the
/// waiting ones. The queue lock is a POSIX record lock on the same file.
struct FileLockWait {
  private let path: String
  private let deadline: SuspendingClock.Instant
  /// The end of the queue's precedence: a stopped process may hold the queue lock.
  private let queueDeadline: SuspendingClock.Instant

  private static let shortestPause: UInt32 = 50
  /// In microseconds; a write takes as long as the disk, at least half a millisecond.
  private static let longestPause: UInt32 = 500

  init(path: String, timeout: Duration) {
    self.path = path
    let now = SuspendingClock.now
    deadline = now.advanced(by: timeout)
    queueDeadline = now.advanced(by: .seconds(1))
  }

  /// Waits for the threads of this process that are ahead in the queue.
  func enterQueue() throws(SystemError) {
    if FileLockQueue.enter(path, until: deadline) { return }
    throw timedOut(holder: FileLockQueue.timeout(at: path)?.holder)
  }

  /// Takes the file's lock after other processes have released it.
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

  /// Polls for the lock, and returns false at the deadline.
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

/// The threads of this process that wait for a file's lock, in FIFO order.
enum FileLockQueue {
  /// A wait for the lock that has timed out.
  struct Timeout: Sendable {
    /// The process that held the lock; nil if the kernel did not report it.
    let holder: pid_t?
  }

  private struct Entry: Sendable {
    var isTaken = false
    /// Each is signalled when its thread is the first one.
    var waiting: [DispatchSemaphore] = []
    /// The last timeout, if the lock has not been free since.
    var timeout: Timeout?
  }

  /// The queues, by the path of the lock.
  private static let entries = Lock([String: Entry](), inForkedChild: { [:] })

  /// Waits for the threads ahead in the queue, and returns false at the deadline.
  ///
  /// A call that returns true must be followed by `leave`.
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
      guard let place = entries[path]?.waiting.firstIndex(where: { $0 === turn }) else {
        // This thread reached the head of the queue at the same moment.
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
        entry.waiting.removeFirst().signal()
      }
      entries[path] = entry.isTaken || entry.timeout != nil ? entry : nil
    }
  }

  static func timeout(at path: String) -> Timeout? {
    entries.withLock { $0[path]?.timeout }
  }

  static func setTimeout(_ timeout: Timeout?, at path: String) {
    entries.withLock { $0[path]?.timeout = timeout }
  }
}
