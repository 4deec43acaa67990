import CLibrary

/// A recursive mutex that one function can lock and another one of the same thread unlock.
///
/// In a forked child no thread holds it.
package final class RecursiveLock: @unchecked Sendable {
  // `@unchecked`: only the thread that holds the mutex accesses `depth`.
  private let mutex = SystemMutex(PTHREAD_MUTEX_RECURSIVE)
  private var depth = 0
  private let process = OwningProcess()

  package init() {}

  /// Locks the mutex.
  package func begin() {
    if !process.isCurrent { recover() }
    mutex.lock()
    depth += 1
  }

  /// Locks the mutex if no other thread holds it.
  package func tryToBegin() -> Bool {
    if !process.isCurrent { recover() }
    guard mutex.tryLock() else { return false }
    depth += 1
    return true
  }

  /// Unlocks the mutex, once for each time that it was locked.
  package func end() {
    if !process.isCurrent { recover() }
    // A thread that forked while holding the mutex does not hold it in the child.
    if depth == 0 { return }
    depth -= 1
    mutex.unlock()
  }

  /// Whether this thread holds the mutex.
  package var isMine: Bool {
    if !process.isCurrent { recover() }
    // `tryLock` also succeeds on a free mutex; then `depth` is 0.
    guard mutex.tryLock() else { return false }
    defer { mutex.unlock() }
    return depth > 0
  }

  package func take<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    begin()
    defer { end() }
    return try body()
  }

  private func recover() {
    process.recover {
      depth = 0
      mutex.reset()
    }
  }
}
