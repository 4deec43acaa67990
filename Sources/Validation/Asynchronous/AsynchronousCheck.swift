/// A check whose answer takes time, such as asking a service whether a user name is taken.
///
/// ```swift
/// let isFree = AsynchronousCheck<String>("isFree", .custom("name.free")) { name in
///   try await service.isTaken(name) ? .rejected(.custom("name.taken")) : .satisfied
/// }
/// ```
///
/// It runs only if every requirement of the field's validator holds and the field has been touched;
/// until then it is ``ValidationCheck/State/waiting``. Each keystroke makes it
/// ``ValidationCheck/State/pending``, restarts the debounce, and cancels the task in which the
/// closure runs. A stale answer is dropped.
public struct AsynchronousCheck<Value: Sendable>: Sendable {
  /// The result of the closure.
  public typealias Answer = AsynchronousAnswer

  /// The name, which identifies the check.
  public let name: String
  /// The constant requirement.
  public let requirement: ValidationMessage
  /// Whether a value that fails the check is invalid.
  public let severity: ValidationCheck.Severity
  /// The pause in typing before the closure is called.
  public let debounce: Duration
  /// The time that the closure may take before the check becomes unavailable.
  public let timeout: Duration
  /// The number of cached answers.
  public let cacheLimit: Int

  let areEqual: @Sendable (Value, Value) -> Bool
  let answer: @Sendable (Value) async throws -> Answer
}

extension AsynchronousCheck where Value: Equatable {
  /// Creates a check.
  ///
  /// The last `cacheLimit` answers are cached for each field, together with their values, and
  /// reused for every equal value (`==`). With 0 nothing is cached, which is the choice for
  /// secrets.
  ///
  /// If the closure throws or exceeds `timeout`, the check becomes
  /// ``ValidationCheck/State/unavailable(_:)``. This is not cached: the next keystroke or
  /// ``ValidatedField/validate()`` retries the check. Only the type name of an error is stored,
  /// since its description may contain secrets. After a time-out the closure's task is cancelled,
  /// and its answer is ignored.
  public init(
    _ name: String, _ requirement: ValidationMessage,
    severity: ValidationCheck.Severity = .requirement,
    debounce: Duration = .milliseconds(300), timeout: Duration = .seconds(10),
    cacheLimit: Int = 16,
    answer: @escaping @Sendable (Value) async throws -> Answer
  ) {
    self.name = name
    self.requirement = requirement
    self.severity = severity
    self.debounce = debounce
    self.timeout = timeout
    self.cacheLimit = cacheLimit
    self.answer = answer
    areEqual = { $0 == $1 }
  }
}

extension AsynchronousCheck {
  /// The check before it has run.
  var waiting: ValidationCheck {
    ValidationCheck(
      id: .init(name), severity: severity, requirement: requirement, state: .waiting)
  }

  /// Returns the outcome of calling the closure.
  func outcome(for value: Value) async -> AsynchronousOutcome {
    do {
      return switch try await answer(value) {
      case .satisfied: AsynchronousOutcome(state: .satisfied)
      case .rejected(let advice): AsynchronousOutcome(state: .broken, advice: advice)
      }
    } catch {
      // Only the type: a description may contain secrets.
      return AsynchronousOutcome(
        state: .unavailable(.failed(String(reflecting: type(of: error)))))
    }
  }
}

extension Clock<Duration> {
  /// Waits; returns early if the task is cancelled.
  func wait(for duration: Duration) async {
    do {
      try await sleep(for: duration)
    } catch {
      // The caller checks whether the task was cancelled.
    }
  }
}

/// The answer of an ``AsynchronousCheck`` about a value.
public enum AsynchronousAnswer: Hashable, Sendable {
  /// The requirement holds.
  case satisfied
  /// A failed requirement, with advice: the check is ``ValidationCheck/State/broken``.
  case rejected(ValidationMessage? = nil)
}

/// The state and advice of an asynchronous check.
struct AsynchronousOutcome: Hashable, Sendable {
  var state: ValidationCheck.State
  var advice: ValidationMessage?
}
