/// An asynchronous check of one field, and how far it has come.
struct AsynchronousRun<Value: Sendable>: Sendable {
  let check: AsynchronousCheck<Value>
  private(set) var outcome = AsynchronousOutcome(state: .waiting)
  /// Which start the task is of; answers to earlier ones are late.
  private(set) var number: UInt64 = 0
  private(set) var isDebouncing = false
  private var task: Task<Void, Never>?
  // Oldest first.
  private var answers: [(value: Value, answer: AsynchronousAnswer)] = []

  init(_ check: AsynchronousCheck<Value>) {
    self.check = check
  }

  /// The answer for a value that was asked about before.
  func keptAnswer(for value: Value) -> AsynchronousAnswer? {
    answers.last { check.areEqual($0.value, value) }?.answer
  }

  /// Whether the closure should be called now if somebody waits for the answer.
  var canBeHurried: Bool {
    switch outcome.state {
    case .pending: isDebouncing
    case .unavailable: true
    default: false
    }
  }

  /// Ends what goes on, and returns the task to be cancelled.
  mutating func stop(with outcome: AsynchronousOutcome) -> Task<Void, Never>? {
    self.outcome = outcome
    number += 1
    defer { task = nil }
    return task
  }

  /// Makes the check anew, and returns the task to be cancelled.
  mutating func restart(debouncing: Bool) -> Task<Void, Never>? {
    isDebouncing = debouncing
    return stop(with: AsynchronousOutcome(state: .pending))
  }

  /// Takes the task of a start; returns false if it is not wanted any more.
  mutating func keep(_ task: Task<Void, Never>, of number: UInt64) -> Bool {
    guard number == self.number, outcome.state == .pending else { return false }
    self.task = task
    return true
  }

  /// Notes that the debounce is over; returns false if the start is not wanted any more.
  mutating func begin(_ number: UInt64) -> Bool {
    guard number == self.number, outcome.state == .pending else { return false }
    isDebouncing = false
    return true
  }

  /// Takes the outcome of a start, and returns the task to be cancelled; nil if the outcome is late.
  mutating func finish(_ number: UInt64, with outcome: AsynchronousOutcome) -> [Task<Void, Never>]?
  {
    guard number == self.number, self.outcome.state == .pending else { return nil }
    return stop(with: outcome).map { [$0] } ?? []
  }

  /// Keeps an answer, and returns those that were kept too long, to be released outside of the lock.
  mutating func keepAnswer(_ answer: AsynchronousAnswer, for value: Value) -> [Value] {
    guard check.cacheLimit > 0 else { return [] }
    answers.append((value, answer))
    let surplus = answers.prefix(max(0, answers.count - check.cacheLimit)).map(\.value)
    answers.removeFirst(surplus.count)
    return surplus
  }
}
