import Dispatch
import StorageInternals

/// A turn at the terminal, of which the process has one and on which one thing is done at a time.
final class TerminalTurn<Success: Sendable>: Sendable {
  typealias Outcome = Result<Success, SecretStoreError>

  private struct State {
    /// Who waits for the turn, until it begins.
    var waiter: CheckedContinuation<Outcome, Never>?
    var isCancelled = false
  }

  private let state = Lock(State(), inForkedChild: { State(isCancelled: true) })
  private let cancellation: WakingPipe

  private init() throws(SecretStoreError) {
    cancellation = try WakingPipe()
  }

  /// Does something when it is this one's turn, on a thread that may wait for a person.
  ///
  /// The closure is given what becomes readable when the task is cancelled, and ends then.
  ///
  /// - Throws: What the closure throws, or ``SecretStoreError/cancelled`` while others have the turn.
  static func take(
    _ body: @escaping @Sendable (Int32) throws(SecretStoreError) -> Success
  ) async throws(SecretStoreError) -> Success {
    if let error = SecretStoreError.needsThreads("Asking on the terminal") { throw error }
    let turn = try TerminalTurn()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        turn.wait(continuation, body)
      }
    } onCancel: {
      turn.cancel()
    }
    return try outcome.get()
  }

  private func wait(
    _ continuation: CheckedContinuation<Outcome, Never>,
    _ body: @escaping @Sendable (Int32) throws(SecretStoreError) -> Success
  ) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.waiter = continuation }
      return state.isCancelled
    }
    if isCancelled { return continuation.resume(returning: .failure(.cancelled)) }
    terminalQueue.async {
      guard let waiter = self.state.withLock({ $0.waiter.take() }) else { return }
      waiter.resume(
        returning: Result { () throws(SecretStoreError) in try body(self.cancellation.reader) })
    }
  }

  private func cancel() {
    let waiter = state.withLock { state in
      state.isCancelled = true
      return state.waiter.take()
    }
    waiter?.resume(returning: .failure(.cancelled))
    cancellation.wake()
  }
}

private let terminalQueue = DispatchQueue(label: "locket.terminal")
