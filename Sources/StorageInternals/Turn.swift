#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A turn at something, for one thread at a time, which may take it again while it has it.
///
/// Unlike `Lock` it can begin in one function and end in another of the same thread.
@safe package final class Turn: @unchecked Sendable {
  // `@unchecked`: the mutex has a fixed address because it is allocated by itself, and only the
  // thread that has the turn reaches `depth`.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var depth = 0

  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    var attributes = pthread_mutexattr_t()
    unsafe pthread_mutexattr_init(&attributes)
    unsafe pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_RECURSIVE))
    let code = unsafe pthread_mutex_init(mutex, &attributes)
    unsafe pthread_mutexattr_destroy(&attributes)
    if code != 0 { fatalError("The C library could not make a mutex (error \(code)).") }
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Waits for the turn, and takes it.
  package func begin() {
    unsafe pthread_mutex_lock(mutex)
    depth += 1
  }

  /// Takes the turn if no other thread has it.
  package func tryToBegin() -> Bool {
    guard unsafe pthread_mutex_trylock(mutex) == 0 else { return false }
    depth += 1
    return true
  }

  /// Gives the turn back, once for each time that it was taken.
  package func end() {
    depth -= 1
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Whether this thread has the turn.
  package var isMine: Bool {
    // Whoever has it gets it again; if it was free, the depth tells.
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
}
