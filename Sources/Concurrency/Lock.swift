package import CLibrary

/// A value protected by a mutex of the C library.
///
/// `Synchronization.Mutex` is unsuitable: on Linux, Swift 6.3 implements it with a
/// priority-inheriting futex, which performs badly under contention (swiftlang/swift#88440) and
/// causes false reports by the thread sanitizer.
///
/// In a forked child, the closure passed to `init` creates a new value. Without that closure, the
/// child keeps the parent's value, and traps if another thread held the lock during the fork.
package final class Lock<Value>: @unchecked Sendable {
  // `@unchecked`: the mutex guards the value.
  private let mutex = SystemMutex()
  // The mutex excludes other threads, and an exclusivity check would cost as much as the mutex.
  @exclusivity(unchecked) private var value: Value
  private let valueInChild: (@Sendable () -> Value)?
  private let process = OwningProcess()

  /// Creates a lock.
  ///
  /// - Parameters:
  ///   - value: The initial value.
  ///   - valueInChild: Returns the initial value in a forked child. The child does not release the
  ///     parent's value, because another thread may have been changing it.
  package init(_ value: sending Value, inForkedChild valueInChild: (@Sendable () -> Value)? = nil) {
    // No other reference exists yet.
    unsafe self.value = value
    self.valueInChild = valueInChild
  }

  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    if !process.isCurrent { process.recover(recover) }
    mutex.lock()
    defer { mutex.unlock() }
    return try unsafe body(&value)
  }

  private func recover() {
    let wasFree = mutex.tryLock()
    if let valueInChild {
      // The parent's value is not released; see `init`.
      unsafe withUnsafeMutablePointer(to: &value) { unsafe $0.initialize(to: valueInChild()) }
    } else if !wasFree {
      fatalError(
        """
        A process was forked while another thread was changing a value of type \(Value.self), which \
        the child cannot use. Call exec in the child, or fork before other threads are started.
        """)
    }
    mutex.reset()
  }
}

/// A mutex of the C library, allocated separately because its address must not change.
@safe struct SystemMutex: ~Copyable, @unchecked Sendable {
  // `@unchecked`: only the C library accesses the memory.
  let address = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() { reset() }

  deinit {
    unsafe pthread_mutex_destroy(address)
    unsafe address.deallocate()
  }

  func lock() { unsafe pthread_mutex_lock(address) }

  func tryLock() -> Bool { unsafe pthread_mutex_trylock(address) == 0 }

  func unlock() { unsafe pthread_mutex_unlock(address) }

  /// Unlocks the mutex in a forked child, in which no thread holds it.
  func reset() { unsafe initializeMutex(address, PTHREAD_MUTEX_NORMAL) }
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
