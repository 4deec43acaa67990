import CLibrary

/// A recursive mutex that a thread may lock and unlock in different functions.
///
/// If it is fair, a thread that unlocks it cannot lock it again before the next waiting thread.
/// This costs a change of threads, so it suits long critical sections only.
///
/// In a forked child, no thread holds it.
package final class RecursiveLock: @unchecked Sendable {
  // `@unchecked`: the mutex guards `depth`.
  private let mutex = SystemMutex(PTHREAD_MUTEX_RECURSIVE)
  /// Held by the thread that is the next to lock a fair mutex.
  private let turn = SystemMutex(PTHREAD_MUTEX_NORMAL)
  private let isFair: Bool
  private var depth = 0
  private let process = OwningProcess()

  package init(isFair: Bool = false) { self.isFair = isFair }

  package func lock() {
    if isFair, !isHeldByCurrentThread {
      turn.lock()
      mutex.lock()
      turn.unlock()
    } else {
      if !process.isCurrent { recover() }
      mutex.lock()
    }
    depth += 1
  }

  /// Locks the mutex if no other thread holds it.
  package func tryLock() -> Bool {
    if !process.isCurrent { recover() }
    guard mutex.tryLock() else { return false }
    depth += 1
    return true
  }

  /// Unlocks the mutex, which must be unlocked as often as it was locked.
  package func unlock() {
    if !process.isCurrent { recover() }
    // If the thread forked while it held the mutex, the child has reset the mutex.
    if depth == 0 { return }
    depth -= 1
    mutex.unlock()
  }

  package var isHeldByCurrentThread: Bool {
    if !process.isCurrent { recover() }
    // `tryLock` also succeeds if no thread holds the mutex; `depth` is then 0.
    guard mutex.tryLock() else { return false }
    defer { mutex.unlock() }
    return depth > 0
  }

  /// Whether a thread waits for a fair mutex.
  var hasWaitingThread: Bool {
    guard turn.tryLock() else { return true }
    turn.unlock()
    return false
  }

  package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }

  private func recover() {
    process.recover {
      depth = 0
      mutex.reset()
      turn.reset()
    }
  }
}
