/// An asynchronous check of one field, with its progress and its cache.
///
/// The report has the outcome.
struct AsynchronousRun<Value: Sendable>: Sendable {
  /// The progress of the current run.
  enum Phase {
    case debouncing
    case running
    /// The run has an answer or was stopped, or there was none.
    case ended
  }

  let check: AsynchronousCheck<Value>
  private(set) var phase = Phase.ended
  /// The number of the current run; answers to earlier runs are stale.
  private(set) var number: UInt64 = 0
  private var task: Task<Void, Never>?
  // Oldest first.
  private var answers: [(value: Value, outcome: AsynchronousOutcome)] = []

  init(_ check: AsynchronousCheck<Value>) {
    self.check = check
  }

  /// Returns the cached answer for a value.
  func keptAnswer(for value: Value) -> AsynchronousOutcome? {
    answers.last { check.areEqual($0.value, value) }?.outcome
  }

  /// Ends the current run and returns the task to cancel.
  mutating func stop() -> Task<Void, Never>? {
    phase = .ended
    number += 1
    return task.take()
  }

  /// Restarts the check and returns the task to cancel.
  mutating func restart(debouncing: Bool) -> Task<Void, Never>? {
    defer { phase = debouncing ? .debouncing : .running }
    return stop()
  }

  /// Whether a run is the current one and has no answer yet.
  func isCurrent(_ number: UInt64) -> Bool { number == self.number && phase != .ended }

  /// Stores the task of a run; returns false if the run is stale.
  mutating func keep(_ task: Task<Void, Never>, of number: UInt64) -> Bool {
    guard isCurrent(number) else { return false }
    self.task = task
    return true
  }

  /// Records the end of the debounce; returns false if the run is stale.
  mutating func begin(_ number: UInt64) -> Bool {
    guard isCurrent(number) else { return false }
    phase = .running
    return true
  }

  /// Caches an answer and returns the evicted values, to be released outside the lock.
  mutating func keepAnswer(_ outcome: AsynchronousOutcome, for value: Value) -> [Value] {
    if case .unavailable = outcome.state { return [] }
    guard check.cacheLimit > 0 else { return [] }
    answers.append((value, outcome))
    let surplus = answers.prefix(max(0, answers.count - check.cacheLimit)).map(\.value)
    answers.removeFirst(surplus.count)
    return surplus
  }
}
