import Dispatch

/// A recursive lock, which threads acquire in the order of their requests.
///
/// The lock suits long critical sections, because passing it on takes a change of threads.
package final class RecursiveLock: Sendable {
  private struct WaitingThread: Sendable {
    let thread = ThreadIdentity.current
    /// Signaled when the thread has become the owner.
    let wakeUp = DispatchSemaphore(value: 0)
  }

  private struct State: Sendable {
    var owner: ThreadIdentity?
    /// The number of times that the owner must unlock.
    var depth = 0
    var waiting = FIFO<WaitingThread>()

    /// Locks for the calling thread; returns false if another thread is the owner.
    mutating func tryLock() -> Bool {
      let current = ThreadIdentity.current
      guard owner == nil || owner == current else { return false }
      owner = current
      depth += 1
      return true
    }
  }

  private let state = Lock(State())

  package init() {}

  package func lock() { request()?.wakeUp.wait() }

  /// Locks in the order of the requests; returns false after the timeout.
  package func lock(within timeout: Duration) -> Bool {
    guard let waiting = request(), !waiting.wakeUp.wait(until: .now + timeout) else { return true }
    // The lock may have been passed to this thread just after the timeout.
    return state.withLock { $0.waiting.remove { $0.thread == waiting.thread } } == nil
  }

  /// Locks and returns nil, or returns the entry of the calling thread among the waiting ones.
  private func request() -> WaitingThread? {
    state.withLock { state in
      if state.tryLock() { return nil }
      let waiting = WaitingThread()
      state.waiting.append(waiting)
      return waiting
    }
  }

  package func tryLock() -> Bool { state.withLock { $0.tryLock() } }

  /// Unlocks; the thread must call this method as often as it has locked.
  package func unlock() {
    // A thread that forked while it held the lock does not hold it in the child.
    if Fork.isChild { return }
    let next = state.withLock { state -> WaitingThread? in
      state.depth -= 1
      if state.depth > 0 { return nil }
      let next = state.waiting.removeFirst()
      state.owner = next?.thread
      if next != nil { state.depth = 1 }
      return next
    }
    next?.wakeUp.signal()
  }

  package var isHeldByCurrentThread: Bool { state.withLock { $0.owner == .current } }

  var hasWaitingThread: Bool { state.withLock { !$0.waiting.isEmpty } }

  package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
