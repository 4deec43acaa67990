import Dispatch
import StorageInternals

/// Lets writers that arrive while another one waits for the disk share the next wait.
///
/// The first writer becomes the leader and processes whatever is waiting, its own write included;
/// when its own is done, it hands over to the next one that is waiting.
final class WriteQueue<Write: Sendable, Outcome: Sendable>: Sendable {
  /// A write that waits for its outcome.
  ///
  /// `@unchecked`: the leader sets the outcome before it signals, its owner reads it afterwards, and
  /// there is one leader at a time.
  final class Pending: @unchecked Sendable {
    let write: Write
    private(set) var outcome: Result<Outcome, SecretStoreError>?
    fileprivate let turn = DispatchSemaphore(value: 0)

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
  }

  private let state = Lock(State())

  /// Waits until a write was processed.
  ///
  /// - Parameter process: Finishes at least the first of the writes; those that it leaves unfinished
  ///   come again.
  func perform(
    _ write: Write, process: ([Pending]) -> Void
  ) throws(SecretStoreError) -> Outcome {
    let own = Pending(write)
    let leads = state.withLock { state in
      state.waiting.append(own)
      defer { state.hasLeader = true }
      return !state.hasLeader
    }
    if !leads { own.turn.wait() }
    while true {
      // Whoever wakes without an outcome is the leader now.
      if let outcome = own.outcome { return try outcome.get() }
      lead(own, process)
    }
  }

  private func lead(_ own: Pending, _ process: ([Pending]) -> Void) {
    while own.outcome == nil {
      let batch = state.withLock { $0.waiting }
      process(batch)
      let finished = batch.filter { $0.outcome != nil }
      state.withLock { $0.waiting.removeAll { pending in finished.contains { $0 === pending } } }
      for pending in finished where pending !== own { pending.turn.signal() }
    }
    let next = state.withLock { state in
      state.hasLeader = !state.waiting.isEmpty
      return state.waiting.first
    }
    next?.turn.signal()
  }
}
