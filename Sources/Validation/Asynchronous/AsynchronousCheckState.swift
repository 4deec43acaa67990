/// The current run of an asynchronous check of a field, and the cached answers.
struct AsynchronousCheckState<Value: Sendable>: Sendable {
  let check: AsynchronousCheck<Value>
  var isDebouncing = false
  /// The identifier of the current run; the answers of earlier runs are stale.
  var runID: UInt64 = 0
  var task: Task<Void, any Error>?
  /// The cached answers, oldest first.
  private(set) var answers: [(value: Value, outcome: AsynchronousOutcome)] = []

  func cachedAnswer(for value: Value) -> AsynchronousOutcome? {
    answers.last { check.areEqual($0.value, value) }?.outcome
  }

  /// Caches an answer and returns the evicted values, which the caller releases outside the lock.
  mutating func cache(_ outcome: AsynchronousOutcome, for value: Value) -> [Value] {
    if case .unavailable = outcome.state { return [] }
    answers.append((value, outcome))
    let evicted = answers.prefix(max(0, answers.count - check.cacheLimit)).map(\.value)
    answers.removeFirst(evicted.count)
    return evicted
  }
}

struct AsynchronousStart<Value: Sendable>: Sendable {
  let index: Int
  let run: AsynchronousCheckState<Value>
  let value: Value
}
