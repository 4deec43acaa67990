import Concurrency

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A value behind a mutex of the C library.
///
/// Not `Synchronization.Mutex`: in Swift 6.3 that one is a priority-inheriting futex on Linux,
/// which collapses under contention (swiftlang/swift#88440) and gives the thread sanitizer false
/// reports.
///
/// In a forked child the value is a fresh one, if the lock was made with one for that. Otherwise it
/// is the parent's, unless another thread held the lock at the fork: then the child stops with a
/// sentence.
@safe package final class Lock<Value>: @unchecked Sendable {
  // `@unchecked`: the value is reached only between lock and unlock, and the mutex has a fixed
  // address because it is allocated by itself.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  // The mutex excludes other threads; to check that once more costs as much as the mutex.
  @exclusivity(unchecked) private var value: Value
  private let childsValue: (@Sendable () -> Value)?
  private let process = OwningProcess()

  /// Makes a lock.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - childsValue: Makes the value that a forked child begins with. The parent's is not released
  ///     there, because another thread may have been changing it.
  package init(_ value: sending Value, inForkedChild childsValue: (@Sendable () -> Value)? = nil) {
    unsafe mutex = .allocate(capacity: 1)
    unsafe initializeMutex(mutex, PTHREAD_MUTEX_NORMAL)
    // No other reference exists yet.
    unsafe self.value = value
    self.childsValue = childsValue
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    if !process.isCurrent { process.recover(recover) }
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    // The mutex is held, see above.
    return try unsafe body(&value)
  }

  private func recover() {
    let wasFree = unsafe pthread_mutex_trylock(mutex) == 0
    if let childsValue {
      // Without releasing the parent's value, see `init`.
      unsafe withUnsafeMutablePointer(to: &value) { unsafe $0.initialize(to: childsValue()) }
    } else if !wasFree {
      fatalError(
        """
        A process was forked while another thread was changing a value of type \(Value.self), which \
        the child cannot use. Call exec in the child, or fork before other threads are started.
        """)
    }
    unsafe initializeMutex(mutex, PTHREAD_MUTEX_NORMAL)
  }
}

/// Makes a mutex that no thread holds, whatever the memory held before.
func initializeMutex<Kind: BinaryInteger>(
  _ mutex: UnsafeMutablePointer<pthread_mutex_t>, _ kind: Kind
) {
  unsafe mutex.initialize(to: pthread_mutex_t())
  var attributes = pthread_mutexattr_t()
  unsafe pthread_mutexattr_init(&attributes)
  unsafe pthread_mutexattr_settype(&attributes, CInt(kind))
  let code = unsafe pthread_mutex_init(mutex, &attributes)
  unsafe pthread_mutexattr_destroy(&attributes)
  if code != 0 { fatalError("The C library could not make a mutex (error \(code)).") }
}
