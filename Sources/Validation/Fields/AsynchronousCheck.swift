/// A check that runs asynchronously, such as a request to the service that stores the user names.
///
/// ```swift
/// let isFree = AsynchronousCheck<String>("isFree", .custom("name.free")) { name in
///   try await service.isTaken(name) ? .rejected(.custom("name.taken")) : .satisfied
/// }
/// ```
///
/// The check is ``ValidationCheck/State/waiting`` until the field is touched and every requirement
/// of its validator holds. Then it is ``ValidationCheck/State/pending`` until the closure returns.
/// Each keystroke cancels the task of the closure, ignores its answer, and restarts the debounce.
public struct AsynchronousCheck<Value: Sendable>: Sendable {
  let waiting: ValidationCheck
  let debounce: Duration
  let timeout: Duration
  let cacheLimit: Int
  let areEqual: @Sendable (Value, Value) -> Bool
  let answer: @Sendable (Value) async throws -> AsynchronousAnswer

  func outcome(for value: Value) async -> AsynchronousOutcome {
    do {
      return switch try await answer(value) {
      case .satisfied: (.satisfied, nil)
      case .rejected(let advice): (.violated, advice)
      }
    } catch {
      // The description of the error can contain secrets.
      return (.unavailable(.failed(String(reflecting: type(of: error)))), nil)
    }
  }
}

extension AsynchronousCheck where Value: Equatable {
  /// Creates a check, which calls the closure when a value has not changed for `debounce`.
  ///
  /// Each field caches its last `cacheLimit` values (`==`) and answers. For secrets, pass 0.
  ///
  /// If the closure throws or exceeds `timeout`, its task is cancelled, and the check becomes
  /// ``ValidationCheck/State/unavailable(_:)`` until the next keystroke or
  /// ``ValidatedField/validate()``. Only the type name of an error is stored.
  public init(
    _ name: String, _ requirement: ValidationMessage,
    severity: ValidationCheck.Severity = .requirement,
    debounce: Duration = .milliseconds(300), timeout: Duration = .seconds(10),
    cacheLimit: Int = 16,
    answer: @escaping @Sendable (Value) async throws -> AsynchronousAnswer
  ) {
    var waiting = ValidationCheck(name, requirement, severity: severity)
    waiting.state = .waiting
    self.waiting = waiting
    self.debounce = debounce
    self.timeout = timeout
    self.cacheLimit = cacheLimit
    self.answer = answer
    areEqual = { $0 == $1 }
  }
}

/// The answer of an ``AsynchronousCheck`` for a value.
public enum AsynchronousAnswer: Hashable, Sendable {
  /// The requirement holds.
  case satisfied
  /// The requirement does not hold, with advice; the check is ``ValidationCheck/State/violated``.
  case rejected(ValidationMessage? = nil)
}

/// The state of an asynchronous check after a run, and the advice.
typealias AsynchronousOutcome = (state: ValidationCheck.State, advice: ValidationMessage?)

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

/// A run to start, with the index of its check among the asynchronous checks of the field.
struct AsynchronousStart<Value: Sendable>: Sendable {
  let index: Int
  let run: AsynchronousCheckState<Value>
  let value: Value
}
