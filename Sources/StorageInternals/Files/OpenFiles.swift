import CLibrary
import Concurrency

/// The descriptors of this process's files, which a forked child closes.
///
/// A child shares the open files of its parent, and with them their locks, which the kernel would
/// keep for the child if the parent was killed.
enum OpenFiles {
  /// Whether each descriptor is open.
  private static let isOpen = Lock([Bool]())

  /// Held for writing while the process forks, and for reading while `isOpen` differs from the
  /// descriptors that are open.
  private nonisolated(unsafe) static let forkLock: UnsafeMutablePointer<pthread_rwlock_t> = {
    // Never deallocated.
    let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
    unsafe lock.initialize(to: pthread_rwlock_t())
    unsafe pthread_rwlock_init(lock, nil)
    return unsafe lock
  }()

  /// The descriptors that the child closes; used only while `forkLock` is held for writing.
  private nonisolated(unsafe) static var inherited: [Int32] = []

  private static let registration: Void = {
    // Must be initialized before the handlers that use it are registered.
    _ = unsafe forkLock
    let code = pthread_atfork(
      {
        if Fork.isChild { return }
        unsafe pthread_rwlock_wrlock(OpenFiles.forkLock)
        unsafe OpenFiles.inherited = OpenFiles.isOpen.withLock { isOpen in
          isOpen.indices.filter { isOpen[$0] }.map { Int32($0) }
        }
      },
      { if !Fork.isChild { unsafe pthread_rwlock_unlock(OpenFiles.forkLock) } },
      {
        for descriptor in unsafe OpenFiles.inherited { close(descriptor) }
        unsafe OpenFiles.inherited = []
      })
    if code != 0 { fatalError("The C library could not register a fork handler (error \(code)).") }
  }()

  /// Returns the descriptor that a system call opens, or -1 with its error number.
  static func adding(_ open: () -> Int32) -> Int32 {
    if Fork.isChild { return open() }
    _ = registration
    unsafe pthread_rwlock_rdlock(forkLock)
    defer { unsafe pthread_rwlock_unlock(forkLock) }
    let descriptor = open()
    if descriptor >= 0 { set(true, Int(descriptor)) }
    return descriptor
  }

  /// Closes a descriptor.
  static func remove(_ descriptor: Int32) {
    // The child has closed it, and the number may be that of another file.
    if Fork.isChild { return }
    unsafe pthread_rwlock_rdlock(forkLock)
    defer { unsafe pthread_rwlock_unlock(forkLock) }
    set(false, Int(descriptor))
    close(descriptor)
  }

  private static func set(_ value: Bool, _ descriptor: Int) {
    isOpen.withLock { isOpen in
      let missing = descriptor + 1 - isOpen.count
      if missing > 0 { isOpen += repeatElement(false, count: missing) }
      isOpen[descriptor] = value
    }
  }
}
