public import CLibrary

/// A value protected by a mutex of the C library.
///
/// `Synchronization.Mutex` of Swift 6.3 performs badly under contention on Linux
/// (swiftlang/swift#88440), and causes false reports by the thread sanitizer.
///
/// In a forked child, `withLock` traps: a thread of the parent may have been changing the value.
///
/// The class is public, because a `package` function is not compiled for the types of its caller.
@safe public final class Lock<Value>: @unchecked Sendable {
  // `@unchecked`: the mutex guards the value. It is allocated, because its address must not change.
  @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  // The mutex excludes other threads, and an exclusivity check would cost as much as the mutex.
  @exclusivity(unchecked) @usableFromInline var value: Value

  /// Creates a lock of a value.
  public init(_ value: sending Value) {
    // No other reference exists yet.
    unsafe self.value = value
    unsafe initializeMutex(mutex, PTHREAD_MUTEX_NORMAL)
    Fork.registerHandlers()
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Calls a closure with the value, which no other thread accesses meanwhile.
  @inlinable public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    if Fork.isChild { Fork.trap() }
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try unsafe body(&value)
  }
}

/// Initializes memory as a mutex of a kind, a constant `PTHREAD_MUTEX_…`.
package func initializeMutex<Kind: BinaryInteger>(
  _ mutex: UnsafeMutablePointer<pthread_mutex_t>, _ kind: Kind
) {
  unsafe mutex.initialize(to: pthread_mutex_t())
  var attributes = pthread_mutexattr_t()
  unsafe pthread_mutexattr_init(&attributes)
  unsafe pthread_mutexattr_settype(&attributes, CInt(kind))
  let code = unsafe pthread_mutex_init(mutex, &attributes)
  unsafe pthread_mutexattr_destroy(&attributes)
  if code != 0 { fatalError("The C library could not create a mutex (error \(code)).") }
}
