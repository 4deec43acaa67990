import Concurrency

/// A semaphore for tasks, which wait in FIFO order without blocking a thread.
final class AsyncSemaphore: Sendable {
  private struct State {
    var isTaken = false
    var isClosed = false
    var waiting: [(ticket: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    var tickets = 0
  }

  private let state = Lock(State(), inForkedChild: { State(isClosed: true) })

  /// Acquires the semaphore, waiting while another task holds it.
  ///
  /// - Throws: ``SecretStoreError/cancelled`` if the task is cancelled or the semaphore is closed.
  func begin() async throws(SecretStoreError) {
    let ticket = state.withLock { state in
      state.tickets += 1
      return state.tickets
    }
    let isAcquired = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          // If the task is cancelled from here on, `leave(_:)` finds it in `waiting`.
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
    if !isAcquired { throw .cancelled }
  }

  /// Releases the semaphore to the task that has waited longest.
  func end() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if !state.waiting.isEmpty { return state.waiting.removeFirst().continuation }
      state.isTaken = false
      return nil
    }
    next?.resume(returning: true)
  }

  /// Makes all waiting and future acquisitions throw.
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
      guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
      return state.waiting.remove(at: index).continuation
    }
    continuation?.resume(returning: false)
  }
}
