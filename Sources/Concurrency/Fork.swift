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
  /// Inlined code reads it directly, which is faster than calling the accessor of a global.
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

  private static let isRegistered = Atomic(false)

  /// Registers the fork handler that counts; later calls do nothing.
  ///
  /// Each lock calls this when it is created, and nothing that can be used has no lock.
  package static func registerHandler() {
    if isRegistered.load(ordering: .acquiring) { return }
    // Must be initialized before the handler that uses it is registered.
    _ = unsafe current
    // If two threads register the handler, the number increases by two, which is harmless.
    let code = pthread_atfork(nil, nil) { unsafe Fork.current.pointee += 1 }
    if code != 0 { fatalError("The C library could not register a fork handler (error \(code)).") }
    isRegistered.store(true, ordering: .releasing)
  }

  /// The description of each module's error in a forked child.
  package static var advice: String {
    """
    Locket does not work in a forked child of a process that has used it. Start the child with \
    posix_spawn or Foundation's Process, or call exec in it, or fork before the first use.
    """
  }

  /// Ends a forked child that uses a value which only its parent can access.
  @inline(never)
  package static func trap() -> Never { fatalError(advice) }

  /// The last process that has reported, as counted by `current`.
  private static let lastReport = Atomic(0)

  /// Writes a line to standard error if this is the first call in a forked child.
  ///
  /// The app's handlers are not called, because another thread may have been changing them.
  package static func report() {
    let process = unsafe current.pointee
    if lastReport.exchange(process, ordering: .relaxed) == process { return }
    var line = "\(advice) Values are the defaults, and changes are lost.\n"
    line.withUTF8 { bytes in
      // An error is ignored, because there is nowhere else to report it.
      _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
