import Concurrency
import Validation

/// A service that answers on request of the test, even after a cancellation.
final class SlowService: Sendable {
  private struct State {
    var asked: [String] = []
    var open: [(value: String, continuation: CheckedContinuation<AsynchronousAnswer, any Error>)] =
      []
  }

  struct Failure: Error {
    let secret = "Sesame"
  }

  private let state = Lock(State())

  /// The values of all requests, in order.
  var asked: [String] { state.withLock { $0.asked } }
  /// The number of closures that have not returned.
  var openCount: Int { state.withLock { $0.open.count } }

  func answer(to value: String) async throws -> AsynchronousAnswer {
    try await withCheckedThrowingContinuation { continuation in
      state.withLock { state in
        state.asked.append(value)
        state.open.append((value, continuation))
      }
    }
  }

  /// Answers the oldest open request for a value.
  func answer(_ value: String, with result: Result<AsynchronousAnswer, any Error>) {
    let continuation = state.withLock { state in
      let index = state.open.firstIndex { $0.value == value }
      return index.map { state.open.remove(at: $0).continuation }
    }
    continuation?.resume(with: result)
  }

  func answerOldest(with result: Result<AsynchronousAnswer, any Error>) {
    let oldest = state.withLock { $0.open.isEmpty ? nil : $0.open.removeFirst().continuation }
    oldest?.resume(with: result)
  }

  func check(
    debounce: Duration = .milliseconds(300), cacheLimit: Int = 16
  ) -> AsynchronousCheck<String> {
    AsynchronousCheck(
      "isFree", .custom("free"), debounce: debounce, timeout: .seconds(10), cacheLimit: cacheLimit
    ) { try await self.answer(to: $0) }
  }
}
