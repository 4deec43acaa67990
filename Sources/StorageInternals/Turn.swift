import Concurrency

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A recursive mutex, which one function can lock and another one of the same thread unlock.
///
/// In a forked child no thread holds it.
@safe package final class Turn: @unchecked Sendable {
  // `@unchecked`: the mutex has a fixed address because it is allocated by itself, and only the
  // thread that has the turn reaches `depth`.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var depth = 0
  private let process = OwningProcess()

  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe initializeMutex(mutex, PTHREAD_MUTEX_RECURSIVE)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Waits for the turn, and takes it.
  package func begin() {
    if !process.isCurrent { recover() }
    unsafe pthread_mutex_lock(mutex)
    depth += 1
  }

  /// Takes the turn if no other thread has it.
  package func tryToBegin() -> Bool {
    if !process.isCurrent { recover() }
    guard unsafe pthread_mutex_trylock(mutex) == 0 else { return false }
    depth += 1
    return true
  }

  /// Gives the turn back, once for each time that it was taken.
  package func end() {
    if !process.isCurrent { recover() }
    // The thread that forked while it had the turn does not have it in the child.
    if depth == 0 { return }
    depth -= 1
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Whether this thread has the turn.
  package var isMine: Bool {
    if !process.isCurrent { recover() }
    // Its holder gets it again; if it was free, the depth tells.
    guard unsafe pthread_mutex_trylock(mutex) == 0 else { return false }
    defer { unsafe pthread_mutex_unlock(mutex) }
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
      unsafe initializeMutex(mutex, PTHREAD_MUTEX_RECURSIVE)
    }
  }
}
