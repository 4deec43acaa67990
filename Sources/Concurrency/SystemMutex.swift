package import CLibrary

/// A mutex of the C library, allocated separately because its address must not change.
@safe struct SystemMutex: ~Copyable, @unchecked Sendable {
  // `@unchecked`: only the C library accesses the memory.
  let address = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let kind: CInt

  /// - Parameter kind: One of the constants `PTHREAD_MUTEX_…`.
  init(_ kind: some BinaryInteger) {
    self.kind = CInt(kind)
    reset()
  }

  deinit {
    unsafe pthread_mutex_destroy(address)
    unsafe address.deallocate()
  }

  func lock() {
    unsafe pthread_mutex_lock(address)
  }

  func tryLock() -> Bool {
    unsafe pthread_mutex_trylock(address) == 0
  }

  func unlock() {
    unsafe pthread_mutex_unlock(address)
  }

  /// Unlocks the mutex in a forked child, in which no thread holds it.
  func reset() {
    unsafe initializeMutex(address, kind)
  }
}

/// Initializes a mutex, ignoring the previous content of the memory.
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
