import Concurrency
import Dispatch

/// A queue that combines concurrent writes into batches, so that writers share the disk's latency.
///
/// The first writer becomes the leader. It processes all waiting writes, including its own, and
/// then passes leadership to the next waiting writer. It first waits for the threads of the last
/// batch, which are likely to write again, for at most half the duration of that batch.
final class WriteQueue: Sendable {
  /// A write that is waiting for its outcome.
  ///
  /// `@unchecked`: the owner sets the semaphore under the queue's lock, before the leader sees the
  /// write. The leader sets the outcome before it signals the owner, which then reads it.
  final class Pending: @unchecked Sendable {
    let write: VaultWrite
    /// The result of the write, which only the leader sets.
    var outcome: Result<SecretItem?, SecretStoreError>?
    /// Signaled when the write is finished or its owner becomes the leader; nil if its owner
    /// began as the leader.
    fileprivate var wakeUp: DispatchSemaphore?
    fileprivate let thread = ThreadIdentity.current

    fileprivate init(_ write: VaultWrite) { self.write = write }
  }

  /// The writes of a batch, and the time to wait for the threads that are likely to write again.
  private typealias Batch = (writes: [Pending], timeout: Duration?)

  private struct State {
    var waiting: [Pending] = []
    var hasLeader = false
    /// The threads whose next writes the leader is waiting for.
    var expectedThreads: Set<ThreadIdentity> = []
    /// The threads whose writes were in the last batch, and the duration of that batch.
    var lastThreads: Set<ThreadIdentity> = []
    var lastDuration = Duration.zero

    mutating func beginBatch() -> Batch {
      // After a batch from a single thread, another thread is unlikely to write soon.
      guard lastThreads.count > 1 else { return (waiting, nil) }
      expectedThreads = lastThreads.subtracting(waiting.map(\.thread))
      return (waiting, expectedThreads.isEmpty ? nil : lastDuration / 2)
    }
  }

  private let state = Lock(State())
  /// Signaled when all expected threads have written again.
  private let allReturned = DispatchSemaphore(value: 0)

  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Performs a write and waits for its outcome.
  ///
  /// The closure must finish at least the first write; the next call receives the unfinished ones.
  func perform(
    _ write: VaultWrite, process: ([Pending]) -> Void
  ) throws(SecretStoreError) -> SecretItem? {
    let own = Pending(write)
    let (batch, isLast) = state.withLock { state -> (Batch?, Bool) in
      state.waiting.append(own)
      if !state.hasLeader {
        state.hasLeader = true
        return (state.beginBatch(), false)
      }
      own.wakeUp = DispatchSemaphore(value: 0)
      let wasExpected = state.expectedThreads.remove(own.thread) != nil
      return (nil, wasExpected && state.expectedThreads.isEmpty)
    }
    if isLast { allReturned.signal() }
    own.wakeUp?.wait()
    // A writer that wakes without an outcome is the new leader.
    return try (own.outcome ?? lead(own, batch, process)).get()
  }

  /// Processes batches until the own write is finished; passes leadership, and returns the outcome.
  private func lead(
    _ own: Pending, _ first: Batch?, _ process: ([Pending]) -> Void
  ) -> Result<SecretItem?, SecretStoreError> {
    var first = first
    while true {
      let batch = writes(of: first.take() ?? state.withLock { $0.beginBatch() })
      let start = ContinuousClock.now
      process(batch)
      let duration = start.duration(to: .now)
      let finished = batch.filter { $0.outcome != nil }
      let next = state.withLock { state -> Pending? in
        state.waiting.removeAll { $0.outcome != nil }
        state.lastThreads = Set(finished.map(\.thread))
        state.lastDuration = duration
        if own.outcome == nil { return nil }
        state.hasLeader = !state.waiting.isEmpty
        return state.waiting.first
      }
      for pending in finished where pending !== own { pending.wakeUp?.signal() }
      next?.wakeUp?.signal()
      if let outcome = own.outcome { return outcome }
    }
  }

  /// Returns the writes of a batch, after a wait for the threads of the last one.
  private func writes(of batch: Batch) -> [Pending] {
    guard let timeout = batch.timeout else { return batch.writes }
    let hasReturned = allReturned.wait(until: .now + timeout)
    let (writes, isSignaled) = state.withLock { state in
      defer { state.expectedThreads = [] }
      return (state.waiting, state.expectedThreads.isEmpty)
    }
    // The last thread signaled just after the timeout; its signal must not end the next wait.
    if !hasReturned, isSignaled { allReturned.wait() }
    return writes
  }
}
