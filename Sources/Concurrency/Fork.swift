package import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Tells a forked child from the process that it was forked from.
///
/// `fork` copies one thread. What the other threads had begun is never finished in the child: their
/// mutexes stay locked, and values that they were changing stay half changed.
package enum Fork {
  /// The number of forks that led to the running process since this was first used.
  ///
  /// It never changes within a process, and differs between a child and its parent.
  @inlinable package static var generation: Int { counter.forks.load(ordering: .relaxed) }

  /// Whether the running process was forked from one that used this.
  package static var isChild: Bool { generation != 0 }

  @usableFromInline package static let counter = Counter()

  /// An object, because an atomic value needs an address of its own.
  @usableFromInline package final class Counter: Sendable {
    @usableFromInline package let forks = Atomic(0)

    fileprivate init() {
      let code = pthread_atfork(nil, nil) { Fork.counter.forks.add(1, ordering: .relaxed) }
      if code != 0 {
        fatalError("The C library could not register a fork handler (error \(code)).")
      }
    }
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
    mark.load(ordering: .acquiring) == Fork.generation &* 2
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
