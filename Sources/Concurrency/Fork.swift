package import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Tells a forked child from the process that it was forked from.
///
/// `fork` copies one thread. What the other threads had begun is never finished in the child: their
/// mutexes stay locked, values that they were changing stay half changed, and a global that they
/// were initializing is never initialized.
package enum Fork {
  /// A number that never changes within a process, and differs between a child and its parent.
  package static var generation: Int {
    countForks()
    return unsafe current.pointee
  }

  /// Whether the running process was forked from one that used this.
  package static var isChild: Bool { generation != 0 }

  /// The generation, for state that called `countForks()` when it was made.
  ///
  /// It has an address of its own, which saves an access to a mutex the call that asks for a
  /// global.
  ///
  /// `nonisolated(unsafe)`: written only in a child that has no second thread yet.
  @usableFromInline package nonisolated(unsafe) static let current: UnsafeMutablePointer<Int> = {
    // Kept for as long as the process runs.
    let address = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    unsafe address.initialize(to: 0)
    return unsafe address
  }()

  private static let isCounting = Atomic(false)

  /// Makes each fork from now on give the child another generation.
  package static func countForks() {
    if isCounting.load(ordering: .acquiring) { return }
    // Before there is a handler that needs it.
    _ = unsafe current
    // If two threads get here at once, generations grow by two, which makes no difference.
    let code = pthread_atfork(nil, nil) { unsafe Fork.current.pointee += 1 }
    if code != 0 {
      fatalError("The C library could not register a fork handler (error \(code)).")
    }
    isCounting.store(true, ordering: .releasing)
  }
}

/// The process that a piece of state belongs to.
///
/// Each access to a mutex asks for it, which is why asking is inlined: two loads and a comparison.
package struct OwningProcess: ~Copyable, Sendable {
  // Twice the generation; one more while a thread of that process recovers the state.
  @usableFromInline package let mark = Atomic(Fork.generation &* 2)

  package init() {}

  /// Whether the state belongs to the running process; false in a forked child until the state has
  /// been recovered there.
  @inlinable package var isCurrent: Bool {
    // The generation is plain memory that no thread writes.
    unsafe mark.load(ordering: .acquiring) == Fork.current.pointee &* 2
  }

  /// Calls a closure once in a forked child, and returns when the call has returned.
  ///
  /// - Parameter recover: Makes the state usable in the child. Its locks may be held by threads that
  ///   the child does not have, and its values may be half changed.
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
