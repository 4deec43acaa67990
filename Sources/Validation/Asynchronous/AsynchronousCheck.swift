/// A check whose answer takes time, such as asking a service whether a user name is taken.
///
/// ```swift
/// let isFree = AsynchronousCheck<String>("isFree", .custom("name.free")) { name in
///   try await service.isTaken(name) ? .rejected(.custom("name.taken")) : .satisfied
/// }
/// ```
///
/// It is made only when every requirement of the field's validator holds and somebody has touched the
/// field; until then it is ``ValidationCheck/State/waiting``. From the keystroke on it is
/// ``ValidationCheck/State/pending``, at first for the debounce, in which the next keystroke makes it
/// begin anew. The next keystroke also cancels the task in which the closure runs, and an answer that
/// comes nevertheless is dropped.
public struct AsynchronousCheck<Value: Sendable>: Sendable {
  /// What the closure answers.
  public typealias Answer = AsynchronousAnswer

  /// The name, by which the check is known.
  public let name: String
  /// What is demanded, always the same.
  public let requirement: ValidationMessage
  /// Whether a value that fails the check is invalid.
  public let severity: ValidationCheck.Severity
  /// How long nobody must have typed before the closure is called.
  public let debounce: Duration
  /// How long the closure may take before the check is unavailable.
  public let timeout: Duration
  /// How many answers are kept.
  public let cacheLimit: Int

  let areEqual: @Sendable (Value, Value) -> Bool
  let answer: @Sendable (Value) async throws -> Answer
}

extension AsynchronousCheck where Value: Equatable {
  /// Creates a check.
  ///
  /// The last answers are kept, `cacheLimit` of them for each field, together with the values that they
  /// are for, and serve for every value that is equal (`==`). With 0 nothing is kept, which is the
  /// choice for secrets.
  ///
  /// A closure that throws, or takes longer than `timeout`, leaves the check
  /// ``ValidationCheck/State/unavailable(_:)``, which is not kept: it is made again with the next
  /// keystroke or ``ValidatedField/validate()``. Of an error only the name of its type is stored, since
  /// its description may hold what nobody else is to read. After a time-out the closure's task is
  /// cancelled, and its answer is not awaited.
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
