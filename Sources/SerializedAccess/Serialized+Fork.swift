import Dispatch

extension Serialized {
  /// Makes the value usable in a forked child, at the first call there; ends the process if another
  /// thread was accessing the value at the fork.
  @inline(__always)
  func recoverAfterFork() {
    forgetParent()
    if exclusion.wasHeldAtFork { refuseAccessInForkedChild() }
  }

  /// Drops, at the first call in a forked child, what the parent's threads were doing.
  func forgetParent() {
    exclusion.recoverAfterFork {
      // The accesses that were scheduled are the parent's. The list is not released, because
      // another thread may have been changing it.
      _ = unsafe Unmanaged.passRetained(scheduled)
      unsafe scheduled = ScheduledAccesses(of: exclusion)
    }
  }

  @inline(never)
  private func refuseAccessInForkedChild() -> Never {
    fatalError(
      """
      The Serialized value of type \(Value.self) on the queue "\(queue.label)" was being accessed \
      when the process was forked, and may be half changed. Call exec in the child, or fork while no \
      thread accesses the value.
      """)
  }
}
