import CLibrary
package import Synchronization

/// Detection of forked children.
///
/// `fork` copies only the calling thread. The other threads never finish their work in the child:
/// mutexes that they hold stay locked, values that they are changing stay inconsistent, and globals
/// that they are initializing are never initialized.
package enum Fork {
  /// A number that is constant within a process and differs between a child and its parent.
  package static var generation: Int {
    registerHandler()
    return unsafe current.pointee
  }

  /// Whether this process was forked after the first use of `Fork`.
  package static var isChild: Bool { generation != 0 }

  /// The address of the generation, valid after `registerHandler()` has been called.
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

  private static let isRegistered = Atomic(false)

  /// Registers a fork handler that gives each child a new generation; later calls do nothing.
  package static func registerHandler() {
    if isRegistered.load(ordering: .acquiring) { return }
    // Must be initialized before the handler that uses it is registered.
    _ = unsafe current
    // If two threads register the handler, generations increase by two, which is harmless.
    let code = pthread_atfork(nil, nil) { unsafe Fork.current.pointee += 1 }
    if code != 0 { fatalError("The C library could not register a fork handler (error \(code)).") }
    isRegistered.store(true, ordering: .releasing)
  }
}

/// The process that owns a piece of state.
///
/// Every access to a lock checks `isCurrent`, so that property is inlined: two loads and a
/// comparison.
package struct OwningProcess: ~Copyable, Sendable {
  // Twice the owner's generation, plus one while a thread of that process recovers the state.
  @usableFromInline package let owner = Atomic(Fork.generation &* 2)

  package init() {}

  /// Whether the running process owns the state: false in a forked child until the child has
  /// recovered the state.
  @inlinable package var isCurrent: Bool {
    // The generation is plain memory that no thread writes.
    unsafe owner.load(ordering: .acquiring) == Fork.current.pointee &* 2
  }

  /// Calls a closure once per forked child; concurrent callers wait until the closure returns.
  ///
  /// - Parameter recover: Makes the state usable in the child. At the fork, threads that do not
  ///   exist in the child may have held its locks or may have been changing its values.
  @inline(never)
  package func recover(_ recover: () -> Void) {
    let current = Fork.generation &* 2
    while true {
      let observed = owner.load(ordering: .acquiring)
      if observed == current { return }
      if observed == current + 1 {
        sched_yield()
        continue
      }
      let (isFirst, _) = owner.compareExchange(
        expected: observed, desired: current + 1, ordering: .acquiringAndReleasing)
      if !isFirst { continue }
      recover()
      owner.store(current, ordering: .releasing)
      return
    }
  }
}
