package import CLibrary

/// A value behind a mutex of the C library.
///
/// `Synchronization.Mutex` does not work: in Swift 6.3 it is a priority-inheriting futex on Linux,
/// which collapses under contention (swiftlang/swift#88440) and causes false reports of the thread
/// sanitizer.
///
/// A forked child gets a new value, if the lock has a closure that makes one. Otherwise it keeps
/// the parent's value; but if another thread held the lock at the fork, the child stops with a
/// fatal error.
package final class Lock<Value>: @unchecked Sendable {
  // `@unchecked`: the value is accessed only under the mutex.
  private let mutex = SystemMutex(PTHREAD_MUTEX_NORMAL)
  // The mutex excludes other threads; an exclusivity check would cost as much as the mutex.
  @exclusivity(unchecked) private var value: Value
  private let childsValue: (@Sendable () -> Value)?
  private let process = OwningProcess()

  /// Creates a lock.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - childsValue: Makes the initial value of a forked child. The child does not release the
  ///     parent's value, because another thread may have been changing it.
  package init(_ value: sending Value, inForkedChild childsValue: (@Sendable () -> Value)? = nil) {
    // No other reference exists yet.
    unsafe self.value = value
    self.childsValue = childsValue
  }

  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    if !process.isCurrent { process.recover(recover) }
    mutex.lock()
    defer { mutex.unlock() }
    // The mutex is held, see above.
    return try unsafe body(&value)
  }

  private func recover() {
    let wasFree = mutex.tryLock()
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
    mutex.reset()
  }
}

/// A mutex of the C library, in an allocation of its own, because it needs a fixed address.
@safe struct SystemMutex: ~Copyable, @unchecked Sendable {
  // `@unchecked`: only the C library uses the memory.
  let address = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let kind: CInt

  /// Creates a mutex of a kind: a constant `PTHREAD_MUTEX_…`.
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

  /// Makes the mutex free in a forked child.
  func reset() {
    unsafe initializeMutex(address, kind)
  }
}

/// Initializes a mutex that no thread holds, regardless of the memory's earlier content.
package func initializeMutex<Kind: BinaryInteger>(
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
