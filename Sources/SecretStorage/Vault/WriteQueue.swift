import Dispatch
import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Lets writers that arrive while another one waits for the disk share the next wait.
///
/// The first writer becomes the leader and processes whatever is waiting, its own write included;
/// then it hands over to the next one that is waiting. Threads that wrote together a moment ago are
/// likely to write again, so a leader gives them some time to come back: never more than half of
/// what the last processing took.
final class WriteQueue<Write: Sendable, Outcome: Sendable>: Sendable {
  /// A write that waits for its outcome.
  ///
  /// `@unchecked`: the leader sets the outcome before it signals, its owner reads it afterwards, and
  /// there is one leader at a time.
  final class Pending: @unchecked Sendable {
    let write: Write
    private(set) var outcome: Result<Outcome, SecretStoreError>?
    fileprivate let turn = DispatchSemaphore(value: 0)
    fileprivate let thread = UInt(pthread_self())

    fileprivate init(_ write: Write) {
      self.write = write
    }

    func finish(_ outcome: Result<Outcome, SecretStoreError>) {
      self.outcome = outcome
    }
  }

  private struct State {
    var waiting: [Pending] = []
    var hasLeader = false
    /// Whether the leader waits for these to come back.
    var missing: Set<UInt> = []
    /// The threads of the last batch, and how long it took.
    var lastThreads: Set<UInt> = []
    var lastDuration = Duration.zero
  }

  private let state = Lock(State(), inForkedChild: { State() })
  private let allCameBack = DispatchSemaphore(value: 0)

  /// Waits until a write was processed.
  ///
  /// Processing finishes at least the first of the writes; those that it leaves unfinished come
  /// again.
  func perform(
    _ write: Write, process: ([Pending]) -> Void
  ) throws(SecretStoreError) -> Outcome {
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
      // Whoever wakes without an outcome is the leader now.
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
        state.waiting.removeAll { pending in finished.contains { $0 === pending } }
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

  /// Gives the threads of the last batch time to come back.
  private func waitForCompany() {
    let patience = state.withLock { state -> Duration? in
      // Writers that follow one another, each from its own thread, have no company to wait for.
      guard state.lastThreads.count > 1 else { return nil }
      state.missing = state.lastThreads.subtracting(state.waiting.map(\.thread))
      return state.missing.isEmpty ? nil : state.lastDuration / 2
    }
    guard let patience else { return }
    let nanoseconds = Int(patience / .nanoseconds(1))
    let cameBack = allCameBack.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success
    let isSignalled = state.withLock { state in
      defer { state.missing = [] }
      return state.missing.isEmpty
    }
    // The last one came back just when the patience was over: its signal is not for the next time.
    if !cameBack, isSignalled { allCameBack.wait() }
  }
}
