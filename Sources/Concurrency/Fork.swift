import CLibrary
import Synchronization

/// Detection of forked children.
///
/// `fork` copies only the calling thread. The other threads never finish their work in the child:
/// mutexes that they hold stay locked, values that they are changing stay inconsistent, and globals
/// that they are initializing are never initialized.
package enum Fork {
  /// A number that is constant within a process and differs between a child and its parent.
  package static var generation: Int {
    countForks()
    return unsafe current.pointee
  }

  /// Whether this process was forked after the first use of `Fork`.
  package static var isChild: Bool { generation != 0 }

  /// The address of the generation, valid after `countForks()` was called.
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

  private static let isCounting = Atomic(false)

  /// Registers a fork handler, once, that gives each child a new generation.
  package static func countForks() {
    if isCounting.load(ordering: .acquiring) { return }
    // Must be initialized before the handler that uses it is registered.
    _ = unsafe current
    // If two threads register a handler, generations grow by two, which is harmless.
    let code = pthread_atfork(nil, nil) { unsafe Fork.current.pointee += 1 }
    if code != 0 {
      fatalError("The C library could not register a fork handler (error \(code)).")
    }
    isCounting.store(true, ordering: .releasing)
  }
}
