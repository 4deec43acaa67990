import CLibrary
import Synchronization

/// Detection of forked children, in which this library does not work.
///
/// `fork` copies only the calling thread. The other threads never finish their work in the child:
/// mutexes that they hold stay locked, and values that they are changing stay inconsistent. So each
/// module checks `isChild` where it is entered, and no lock can be acquired in a child.
package enum Fork {
  /// The number of forks between the process that first used this library and this process.
  ///
  /// `nonisolated(unsafe)`: written only in a child that does not have a second thread yet.
  @usableFromInline package nonisolated(unsafe) static let current: UnsafeMutablePointer<Int> = {
    // Never deallocated.
    let address = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    unsafe address.initialize(to: 0)
    return unsafe address
  }()

  /// Whether this process was forked from one that had used this library.
  @inlinable package static var isChild: Bool { unsafe current.pointee != 0 }

  /// The descriptors of this process's files, which children close, because they share the locks of
  /// the files; guarded by `mutex`.
  private nonisolated(unsafe) static var openFiles: Set<Int32> = []
  /// Held during a fork.
  private static let mutex = SystemMutex()
  /// The number of forks by this process.
  private static let count = Atomic(0)

  private static let registration: Void = {
    // Must be initialized before the handlers that use them are registered.
    _ = unsafe current
    _ = unsafe openFiles.isEmpty
    let code = pthread_atfork(
      { Fork.mutex.lock() },
      {
        Fork.count.add(1, ordering: .releasing)
        Fork.mutex.unlock()
      },
      {
        unsafe Fork.current.pointee += 1
        for descriptor in unsafe Fork.openFiles { close(descriptor) }
        unsafe Fork.openFiles = []
        Fork.mutex.unlock()
      })
    if code != 0 { fatalError("The C library could not register a fork handler (error \(code)).") }
  }()

  /// Registers the fork handlers; each lock calls this when it is created.
  package static func registerHandlers() { _ = registration }

  /// Returns the descriptor that `open` gives with flags, or -1 with its error number.
  ///
  /// The call may take any time, so it must not delay a fork.
  package static func openFile(_ flags: Int32, _ open: () -> Int32) -> Int32 {
    _ = registration
    while true {
      let before = count.load(ordering: .acquiring)
      let descriptor = open()
      if descriptor == -1 { return -1 }
      mutex.lock()
      // A child that was forked meanwhile has the file open. A new file, which is opened only once,
      // is not locked.
      let isAdded = flags & O_EXCL != 0 || count.load(ordering: .acquiring) == before
      if isAdded { unsafe openFiles.insert(descriptor) }
      mutex.unlock()
      if isAdded { return descriptor }
      close(descriptor)
    }
  }

  package static func closeFile(_ descriptor: Int32) {
    // The child has closed it, and the number may be that of another file.
    if isChild { return }
    mutex.lock()
    unsafe openFiles.remove(descriptor)
    mutex.unlock()
    close(descriptor)
  }

  /// The description of each module's error in a forked child.
  package static var advice: String {
    """
    Locket does not work in a forked child of a process that has used it. Start the child with \
    posix_spawn or Foundation's Process, or call exec in it, or fork before the first use.
    """
  }

  @inline(never)
  package static func trap() -> Never { fatalError(advice) }

  /// The last process that has reported, as counted by `current`.
  private static let lastReport = Atomic(0)

  /// Writes a line to standard error if this is the first call in a forked child.
  package static func report() {
    let process = unsafe current.pointee
    if lastReport.exchange(process, ordering: .relaxed) == process { return }
    writeToStandardError("\(advice) Values are the defaults, and changes are lost.")
  }
}
