#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A value behind a mutex of the C library.
///
/// Not `Synchronization.Mutex`: in Swift 6.3 that one is a priority-inheriting futex on Linux, which
/// collapses under contention (swiftlang/swift#88440) and gives the thread sanitizer false reports.
@safe package final class Lock<Value>: @unchecked Sendable {
  // `@unchecked`: the value is reached only between lock and unlock, and the mutex has a fixed
  // address because it is allocated by itself.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  // The mutex is what keeps others out; to check that once more costs as much as the mutex.
  @exclusivity(unchecked) private var value: Value

  package init(_ value: sending Value) {
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let code = unsafe pthread_mutex_init(mutex, nil)
    if code != 0 { fatalError("The C library could not make a mutex (error \(code)).") }
    // Nobody else has it yet.
    unsafe self.value = value
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    // The mutex is held, see above.
    return try unsafe body(&value)
  }
}
