/// An access that a suspended task waits for, and that may be cancelled until it begins.
final class SuspendedAccess<Output>: @unchecked Sendable {
  private enum State {
    case created
    case waiting(CheckedContinuation<Output, any Error>)
    case begun(CheckedContinuation<Output, any Error>)
    case cancelled
    case finished
  }

  // `@unchecked`: `state` is reached only under `exclusion`.
  private let exclusion = Exclusion()
  private var state = State.created

  deinit {
    exclusion.destroy()
  }

  /// Keeps the task's continuation; if the access was cancelled before, resumes it at once and
  /// returns false.
  func wait(with continuation: CheckedContinuation<Output, any Error>) -> Bool {
    let isCancelled = withState { state in
      if case .cancelled = state { return true }
      state = .waiting(continuation)
      return false
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
    return !isCancelled
  }

  /// Cancels the access if it hasn't begun.
  func cancel() {
    let waiting: CheckedContinuation<Output, any Error>? = withState { state in
      switch state {
      case .created:
        state = .cancelled
        return nil
      case .waiting(let continuation):
        state = .cancelled
        return continuation
      case .begun, .cancelled, .finished:
        return nil
      }
    }
    waiting?.resume(throwing: CancellationError())
  }

  /// Begins the access; returns false if it was cancelled.
  func begin() -> Bool {
    withState { state in
      guard case .waiting(let continuation) = state else { return false }
      state = .begun(continuation)
      return true
    }
  }

  func resume(returning output: sending Output) {
    finish()?.resume(returning: output)
  }

  func resume(throwing error: any Error) {
    finish()?.resume(throwing: error)
  }

  private func finish() -> CheckedContinuation<Output, any Error>? {
    withState { state in
      guard case .begun(let continuation) = state else { return nil }
      state = .finished
      return continuation
    }
  }

  private func withState<Result>(_ body: (inout State) -> Result) -> Result {
    // No closure of the app's runs in here, so that it is always entered.
    _ = exclusion.enter()
    defer { exclusion.leave() }
    return body(&state)
  }
}
