import CLibrary
package import Synchronization

/// Detection of forked children.
///
/// `fork` copies only the calling thread. The work of other threads never finishes in the child:
/// their mutexes stay locked, the values that they were changing stay half changed, and the globals
/// that they were initializing are never initialized.
package enum Fork {
  /// A number that is constant within a process and differs between a child and its parent.
  package static var generation: Int {
    countForks()
    return unsafe current.pointee
  }

  /// Whether the running process was forked from one that used this.
  package static var isChild: Bool { generation != 0 }

  /// The generation, for state that called `countForks()` in its initializer.
  ///
  /// A separate address saves each access to a mutex the call of a global's accessor.
  ///
  /// `nonisolated(unsafe)`: written only in a child that has no second thread yet.
  @usableFromInline package nonisolated(unsafe) static let current: UnsafeMutablePointer<Int> = {
    // Kept until the process ends.
    let address = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    unsafe address.initialize(to: 0)
    return unsafe address
  }()

  private static let isCounting = Atomic(false)

  /// Registers a fork handler that gives each later child a new generation.
  package static func countForks() {
    if isCounting.load(ordering: .acquiring) { return }
    // Initialized before the handler that uses it exists.
    _ = unsafe current
    // If two threads register a handler, generations grow by two, which is harmless.
    let code = pthread_atfork(nil, nil) { unsafe Fork.current.pointee += 1 }
    if code != 0 {
      fatalError("The C library could not register a fork handler (error \(code)).")
    }
    isCounting.store(true, ordering: .releasing)
  }
}

/// The process that owns a piece of state.
///
/// Each access to a mutex makes this check, so it is inlined: two loads and a comparison.
package struct OwningProcess: ~Copyable, Sendable {
  // Twice the generation; one more while a thread of that process recovers the state.
  @usableFromInline package let mark = Atomic(Fork.generation &* 2)

  package init() {}

  /// Whether the state belongs to the running process; false in a forked child until the state has
  /// been recovered.
  @inlinable package var isCurrent: Bool {
    // The generation is plain memory that no thread writes.
    unsafe mark.load(ordering: .acquiring) == Fork.current.pointee &* 2
  }

  /// Calls a closure once in a forked child, and returns when that call has ended.
  ///
  /// - Parameter recover: Makes the state usable in the child. Threads that the child does not have
  ///   may hold its locks and may have half changed its values.
  @inline(never)
  package func recover(_ recover: () -> Void) {
    let current = Fork.generation &* 2
    while true {
      let seen = mark.load(ordering: .acquiring)
      if seen == current { return }
      if seen == current + 1 {
        sched_yield()
        continue
      }
      let (isMine, _) = mark.compareExchange(
        expected: seen, desired: current + 1, ordering: .acquiringAndReleasing)
      if !isMine { continue }
      recover()
      mark.store(current, ordering: .releasing)
      return
    }
  }
}
