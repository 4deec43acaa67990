import Concurrency

/// A scheduled access that a suspended task awaits; it can be cancelled until it begins.
final class SuspendedAccess<Output>: Sendable {
  typealias Continuation = CheckedContinuation<Output, any Error>

  private enum State {
    case created
    case waiting(Continuation)
    case begunOrCancelled
  }

  private let state = Lock(State.created)

  /// Stores the continuation of the task; if the access is already cancelled, resumes the
  /// continuation and returns false.
  func wait(with continuation: Continuation) -> Bool {
    let isWaiting = state.withLock { state in
      guard case .created = state else { return false }
      state = .waiting(continuation)
      return true
    }
    if !isWaiting { continuation.resume(throwing: CancellationError()) }
    return isWaiting
  }

  /// Begins the access and returns the continuation to resume; nil if it was cancelled.
  func begin() -> Continuation? {
    state.withLock { state in
      defer { state = .begunOrCancelled }
      guard case .waiting(let continuation) = state else { return nil }
      return continuation
    }
  }

  /// Cancels the access if it has not begun.
  func cancel() {
    begin()?.resume(throwing: CancellationError())
  }
}
