import StorageInternals

/// Lets one task at a time ask a person; the others wait, without a thread, until it is done.
final class AskingTurn: Sendable {
  private struct State {
    var isTaken = false
    var isClosed = false
    var waiting: [(ticket: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    var tickets = 0
  }

  private let state = Lock(State(), inForkedChild: { State(isClosed: true) })

  /// Waits for the turn, and takes it.
  ///
  /// - Throws: ``SecretStoreError/cancelled`` when the task was cancelled, or nobody may ask any more.
  func begin() async throws(SecretStoreError) {
    let ticket = state.withLock { state in
      state.tickets += 1
      return state.tickets
    }
    let isMine = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          // A task that is cancelled from here on finds itself among those that wait.
          if state.isClosed || Task.isCancelled { return false }
          if state.isTaken {
            state.waiting.append((ticket, continuation))
            return nil
          }
          state.isTaken = true
          return true
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      leave(ticket)
    }
    if !isMine { throw .cancelled }
  }

  /// Gives the turn to whoever waits longest.
  func end() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if !state.waiting.isEmpty { return state.waiting.removeFirst().continuation }
      state.isTaken = false
      return nil
    }
    next?.resume(returning: true)
  }

  /// Sends everybody away who waits now or comes later.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return state.waiting.map(\.continuation)
    }
    for continuation in waiting { continuation.resume(returning: false) }
  }

  private func leave(_ ticket: Int) {
    let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard let place = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
      return state.waiting.remove(at: place).continuation
    }
    continuation?.resume(returning: false)
  }
}
