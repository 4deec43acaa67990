import Dispatch

/// A queue that coalesces writes into batches, so that writers share the wait for the disk.
///
/// The first writer becomes the leader. It processes all waiting writes, including its own, and
/// then makes the next waiting writer the leader. Threads that just wrote together are likely to
/// write again, so a leader waits for them, but at most half as long as the last batch took.
package final class WriteQueue<Write: Sendable, Outcome: Sendable, Failure: Error>: Sendable {
  /// A write that waits for its outcome.
  ///
  /// `@unchecked`: the leader sets the outcome before it signals, the owner reads it after the
  /// signal, and there is one leader at a time.
  package final class Pending: @unchecked Sendable {
    package let write: Write
    package private(set) var outcome: Result<Outcome, Failure>?
    fileprivate let turn = DispatchSemaphore(value: 0)
    fileprivate let thread = ThreadIdentity.current

    fileprivate init(_ write: Write) {
      self.write = write
    }

    package func finish(_ outcome: Result<Outcome, Failure>) {
      self.outcome = outcome
    }
  }

  private struct State {
    var waiting: [Pending] = []
    var hasLeader = false
    /// The threads whose next write the leader waits for.
    var missing: Set<ThreadIdentity> = []
    /// The threads of the last batch, and its duration.
    var lastThreads: Set<ThreadIdentity> = []
    var lastDuration = Duration.zero
  }

  private let state = Lock(State(), inForkedChild: { State() })
  private let allCameBack = DispatchSemaphore(value: 0)

  package init() {}

  /// Performs a write and waits for its outcome.
  ///
  /// `process` must finish at least the first of the writes; unfinished writes are passed to it
  /// again.
  package func perform(
    _ write: Write, process: ([Pending]) -> Void
  ) throws(Failure) -> Outcome {
    let own = Pending(write)
    let (leads, isLast) = state.withLock { state in
      state.waiting.append(own)
      let isLast = state.missing.remove(own.thread) != nil && state.missing.isEmpty
      defer { state.hasLeader = true }
      return (!state.hasLeader, isLast)
    }
    if isLast { allCameBack.signal() }
    if !leads { own.turn.wait() }
    while true {
      // A thread that wakes without an outcome is the new leader.
      if let outcome = own.outcome { return try outcome.get() }
      lead(own, process)
    }
  }

  private func lead(_ own: Pending, _ process: ([Pending]) -> Void) {
    while own.outcome == nil {
      waitForCompany()
      let batch = state.withLock { $0.waiting }
      let duration = ContinuousClock().measure { process(batch) }
      let finished = batch.filter { $0.outcome != nil }
      state.withLock { state in
        state.waiting.removeAll { $0.outcome != nil }
        state.lastThreads = Set(finished.map(\.thread))
        state.lastDuration = duration
      }
      for pending in finished where pending !== own { pending.turn.signal() }
    }
    let next = state.withLock { state in
      state.hasLeader = !state.waiting.isEmpty
      return state.waiting.first
    }
    next?.turn.signal()
  }

  /// Waits briefly for new writes of the last batch's threads.
  private func waitForCompany() {
    let patience = state.withLock { state -> Duration? in
      // After a batch from a single thread, no other thread is likely to write soon.
      guard state.lastThreads.count > 1 else { return nil }
      state.missing = state.lastThreads.subtracting(state.waiting.map(\.thread))
      return state.missing.isEmpty ? nil : state.lastDuration / 2
    }
    guard let patience else { return }
    let cameBack = allCameBack.wait(until: .now + patience)
    let isSignalled = state.withLock { state in
      defer { state.missing = [] }
      return state.missing.isEmpty
    }
    // The last thread signalled just after the timeout: its signal must not end the next wait.
    if !cameBack, isSignalled { allCameBack.wait() }
  }
}
