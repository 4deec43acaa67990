import Dispatch

extension Serialized {
  /// Prepares the value for use at the first call in a forked child; traps if another thread was
  /// accessing the value at the fork.
  @inline(__always)
  func recoverAfterFork() {
    discardParentState()
    if lock.wasHeldAtFork { trapOnAccessInForkedChild() }
  }

  /// Discards, at the first call in a forked child, the state of the parent's threads.
  func discardParentState() {
    lock.recoverAfterFork {
      // The scheduled accesses run in the parent. The list is not released, because another thread
      // may have been changing it at the fork.
      _ = unsafe Unmanaged.passRetained(scheduled)
      unsafe scheduled = ScheduledAccesses(of: lock)
    }
  }

  @inline(never)
  private func trapOnAccessInForkedChild() -> Never {
    fatalError(
      """
      The Serialized value of type \(Value.self) on the queue "\(queue.label)" was being accessed \
      when the process was forked, and may be partly changed. Call exec in the child, or fork \
      while no thread accesses the value.
      """)
  }
}
