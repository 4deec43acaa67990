import CLibrary
package import Synchronization

/// The process that owns a piece of state.
///
/// Every access to a lock checks `isCurrent`, so that property is inlined: two loads and a
/// comparison.
package struct OwningProcess: ~Copyable, Sendable {
  // Twice the generation of the owner, plus one while a thread of that process recovers the state.
  @usableFromInline package let mark = Atomic(Fork.generation &* 2)

  package init() {}

  /// Whether the running process owns the state.
  ///
  /// This is false in a forked child until the child has recovered the state.
  @inlinable package var isCurrent: Bool {
    // The generation is plain memory that no thread writes.
    unsafe mark.load(ordering: .acquiring) == Fork.current.pointee &* 2
  }

  /// Calls a closure once per forked child; concurrent callers wait until it has returned.
  ///
  /// - Parameter recover: Makes the state usable in the child. At the fork, threads that do not
  ///   exist in the child may have held its locks or may have been changing its values.
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
      let (isFirst, _) = mark.compareExchange(
        expected: seen, desired: current + 1, ordering: .acquiringAndReleasing)
      if !isFirst { continue }
      recover()
      mark.store(current, ordering: .releasing)
      return
    }
  }
}
