import Concurrency

/// A binary semaphore for tasks, which wait in FIFO order without blocking a thread.
final class AsyncSemaphore: Sendable {
  private struct State {
    var isAcquired = false
    var isClosed = false
    var waiters: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    var lastID = 0
  }

  private let state = Lock(State())

  func wait() async throws(SecretStoreError) {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let isAcquired = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let result = state.withLock { state -> Bool? in
          // If the task is cancelled from here on, `onCancel` finds it in `waiters`.
          if state.isClosed || Task.isCancelled { return false }
          if state.isAcquired {
            state.waiters.append((id, continuation))
            return nil
          }
          state.isAcquired = true
          return true
        }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        let index = state.waiters.firstIndex { $0.id == id }
        return index.map { state.waiters.remove(at: $0).continuation }
      }
      continuation?.resume(returning: false)
    }
    if !isAcquired { throw .cancelled }
  }

  func signal() {
    let next = state.withLock { state in
      state.isAcquired = !state.waiters.isEmpty
      return state.isAcquired ? state.waiters.removeFirst().continuation : nil
    }
    next?.resume(returning: true)
  }

  func close() {
    let continuations = state.withLock { state in
      state.isClosed = true
      defer { state.waiters = [] }
      return state.waiters.map(\.continuation)
    }
    for continuation in continuations { continuation.resume(returning: false) }
  }
}
