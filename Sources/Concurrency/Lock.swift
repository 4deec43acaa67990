package import CLibrary

/// A value protected by a mutex of the C library.
///
/// `Synchronization.Mutex` of Swift 6.3 performs badly under contention on Linux
/// (swiftlang/swift#88440), and causes false reports by the thread sanitizer.
///
/// In a forked child, it traps: another thread of the parent may have been changing the value.
package final class Lock<Value>: @unchecked Sendable {
  // `@unchecked`: the mutex guards the value.
  private let mutex = SystemMutex()
  // The mutex excludes other threads, and an exclusivity check would cost as much as the mutex.
  @exclusivity(unchecked) private var value: Value

  package init(_ value: sending Value) {
    // No other reference exists yet.
    unsafe self.value = value
    Fork.registerHandlers()
  }

  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    if Fork.isChild { Fork.trap() }
    mutex.lock()
    defer { mutex.unlock() }
    return try unsafe body(&value)
  }
}

/// A mutex of the C library, allocated separately because its address must not change.
@safe struct SystemMutex: ~Copyable, @unchecked Sendable {
  let address = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() { unsafe initializeMutex(address, PTHREAD_MUTEX_NORMAL) }

  deinit {
    unsafe pthread_mutex_destroy(address)
    unsafe address.deallocate()
  }

  func lock() { unsafe pthread_mutex_lock(address) }

  func unlock() { unsafe pthread_mutex_unlock(address) }
}

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
