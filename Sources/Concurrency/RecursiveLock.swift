import CLibrary

/// A recursive mutex that a thread may lock and unlock in different functions.
///
/// In a forked child, no thread holds it.
package final class RecursiveLock: @unchecked Sendable {
  // `@unchecked`: the mutex guards `depth`.
  private let mutex = SystemMutex(PTHREAD_MUTEX_RECURSIVE)
  private var depth = 0
  private let process = OwningProcess()

  package init() {}

  /// Locks the mutex.
  package func lock() {
    if !process.isCurrent { recover() }
    mutex.lock()
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

  /// Whether the current thread holds the mutex.
  package var isHeldByCurrentThread: Bool {
    if !process.isCurrent { recover() }
    // `tryLock` also succeeds if no thread holds the mutex; `depth` is then 0.
    guard mutex.tryLock() else { return false }
    defer { mutex.unlock() }
    return depth > 0
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
    }
  }
}
