import Dispatch

/// A queue that combines concurrent writes into batches, so that writers share the disk's latency.
///
/// The first writer becomes the leader. It processes all waiting writes, including its own, and
/// then passes leadership to the next waiting writer. It first waits for the threads of the last
/// batch, which are likely to write again, for at most half the duration of that batch.
package final class WriteQueue<Write: Sendable, Outcome: Sendable, Failure: Error>: Sendable {
  /// A write that is waiting for its outcome.
  ///
  /// `@unchecked`: the leader sets the outcome before it signals the owner, which then reads it.
  package final class Pending: @unchecked Sendable {
    package let write: Write
    package private(set) var outcome: Result<Outcome, Failure>?
    /// Signaled when the write is finished or its owner becomes the leader.
    fileprivate let wakeUp = DispatchSemaphore(value: 0)
    fileprivate let thread = ThreadIdentity.current

    fileprivate init(_ write: Write) { self.write = write }

    /// Sets the outcome; only the leader may call this method.
    package func finish(_ outcome: Result<Outcome, Failure>) { self.outcome = outcome }
  }

  private struct State {
    var waiting: [Pending] = []
    var hasLeader = false
    /// The threads whose next writes the leader is waiting for.
    var expectedThreads: Set<ThreadIdentity> = []
    /// The threads whose writes were in the last batch, and the duration of that batch.
    var lastThreads: Set<ThreadIdentity> = []
    var lastDuration = Duration.zero
  }

  private let state = Lock(State())
  /// Signaled when all expected threads have written again.
  private let allReturned = DispatchSemaphore(value: 0)

  package init() {}

  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Performs a write and waits for its outcome.
  ///
  /// The closure must finish at least the first write; the next call receives the unfinished ones.
  package func perform(_ write: Write, process: ([Pending]) -> Void) throws(Failure) -> Outcome {
    let own = Pending(write)
    let (isLeader, isLast) = state.withLock { state in
      state.waiting.append(own)
      let isLast = state.expectedThreads.remove(own.thread) != nil && state.expectedThreads.isEmpty
      defer { state.hasLeader = true }
      return (!state.hasLeader, isLast)
    }
    if isLast { allReturned.signal() }
    if !isLeader { own.wakeUp.wait() }
    while true {
      // A writer that wakes without an outcome is the new leader.
      if let outcome = own.outcome { return try outcome.get() }
      lead(own, process)
    }
  }

  /// Processes batches until the own write is finished, and then passes leadership.
  private func lead(_ own: Pending, _ process: ([Pending]) -> Void) {
    while own.outcome == nil {
      let batch = nextBatch()
      let duration = ContinuousClock().measure { process(batch) }
      let finished = batch.filter { $0.outcome != nil }
      state.withLock { state in
        state.waiting.removeAll { $0.outcome != nil }
        state.lastThreads = Set(finished.map(\.thread))
        state.lastDuration = duration
      }
      for pending in finished where pending !== own { pending.wakeUp.signal() }
    }
    let next = state.withLock { state in
      state.hasLeader = !state.waiting.isEmpty
      return state.waiting.first
    }
    next?.wakeUp.signal()
  }

  /// Returns the waiting writes, after a wait for the threads of the last batch.
  private func nextBatch() -> [Pending] {
    let (batch, timeout) = state.withLock { state -> ([Pending], Duration?) in
      // After a batch from a single thread, another thread is unlikely to write soon.
      guard state.lastThreads.count > 1 else { return (state.waiting, nil) }
      state.expectedThreads = state.lastThreads.subtracting(state.waiting.map(\.thread))
      return (state.waiting, state.expectedThreads.isEmpty ? nil : state.lastDuration / 2)
    }
    guard let timeout else { return batch }
    let hasReturned = allReturned.wait(until: .now + timeout)
    let (largerBatch, isSignaled) = state.withLock { state in
      defer { state.expectedThreads = [] }
      return (state.waiting, state.expectedThreads.isEmpty)
    }
    // The last thread signaled just after the timeout; its signal must not end the next wait.
    if !hasReturned, isSignaled { allReturned.wait() }
    return largerBatch
  }
}
