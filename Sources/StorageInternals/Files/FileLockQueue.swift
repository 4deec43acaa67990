import CLibrary
import Concurrency
import Dispatch

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

  static func timeout(at path: String) -> Timeout? {
    entries.withLock { $0[path]?.timeout }
  }

  static func setTimeout(_ timeout: Timeout?, at path: String) {
    entries.withLock { $0[path]?.timeout = timeout }
  }
}
