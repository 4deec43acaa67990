import Concurrency
public import Observation
import SerializedAccess

/// A property that keeps every value, valid or not, together with a report on it.
///
/// ```swift
/// @Validated(.notEmpty && .count(...20)) var name = ""
/// name = "Chihiro"
/// print($name.report.state)  // valid
/// ```
///
/// `$name` is the ``ValidatedField``, which has the report. Copies of a structure with such a
/// property share the field and its value: a change in a copy changes the original. Where Swift
/// does not allow a property wrapper, as in a `Sendable` class, hold a ``ValidatedField`` in a
/// constant. In an `@Observable` class, write `@ObservationIgnored` before `@Validated`, since the
/// field itself is observable.
///
/// An assignment is atomic on any thread, but an in-place change (`name += "!"`) reads and writes
/// in two steps.
@propertyWrapper
public struct Validated<Value: Sendable>: Sendable {
  /// The field, which has the report.
  public let projectedValue: ValidatedField<Value>

  /// Creates an untouched field with an initial value.
  ///
  /// The clock measures the debounce and the time-out of the asynchronous checks.
  public init(
    wrappedValue: Value, _ validator: Validator<Value>,
    asynchronously checks: [AsynchronousCheck<Value>] = [],
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    projectedValue = ValidatedField(
      wrappedValue, validator, asynchronously: checks, clock: clock)
  }

  /// The value, valid or not; assigning it touches the field.
  public var wrappedValue: Value {
    get { projectedValue.value }
    nonmutating set { projectedValue.value = newValue }
  }
}

/// A value that is validated at each change, and the report on it.
///
/// ```swift
/// final class SignUp: Sendable {
///   let name = ValidatedField("", .notEmpty && .count(...20))
/// }
/// ```
///
/// Every value is kept, valid or not. When a setter returns, the report is on that value or a newer
/// one, on any thread. Checks, observers and consumers run without a lock, so that they may use
/// this field and others.
///
/// `withObservationTracking` tracks reads of ``value`` and ``report``.
public final class ValidatedField<Value: Sendable>: Sendable, Observable, Identifiable {
  let asynchronousChecks: [AsynchronousCheck<Value>]
  let initialValue: Value
  let clock: any Clock<Duration>
  let state: Serialized<FieldState<Value>>
  let properties = ObservedProperties()

  /// Creates an untouched field with an initial value.
  ///
  /// The report lists the checks of the validator, the asynchronous ones, and those that
  /// ``require(_:)`` adds. The clock measures the debounce and the time-out of asynchronous checks.
  public init(
    _ value: Value, _ validator: Validator<Value>,
    asynchronously checks: [AsynchronousCheck<Value>] = [],
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.clock = clock
    asynchronousChecks = checks
    initialValue = value
    var report = validator.report(for: value)
    report.isTouched = false
    report.checks.append(distinct: checks.map(\.waiting))
    state = Serialized(
      FieldState(
        validator: validator, value: value, report: report, newest: .init(value: value),
        runs: checks.map { AsynchronousRun($0) }, firstRun: validator.checks.count))
  }

  deinit {
    let (tasks, observers, checks) = state.access { state in
      defer {
        // Two fields with checks that read each other would form a reference cycle.
        state.crossFieldChecks = []
        state.observers = Observers()
      }
      let tasks = state.runs.indices.map { state.runs[$0].stop() }
      return (tasks, state.observers.all, state.crossFieldChecks)
    }
    for task in tasks { task?.cancel() }
    for observer in observers { observer.handler?.ended() }
    withExtendedLifetime(checks) {}
  }

  /// The value, valid or not; setting it touches the field.
  public var value: Value {
    get {
      properties.valueIsRead()
      return state.access { $0.value }
    }
    set {
      change(to: newValue) { $0.newest.isTouched = true }
    }
  }

  /// The report on the value.
  public var report: ValidationReport {
    properties.reportIsRead()
    return state.access { $0.report }
  }

  /// Whether every requirement holds, touched or not.
  public var isValid: Bool { report.isValid }

  /// Marks the field as visited, for example when it loses the keyboard focus.
  ///
  /// Afterwards the report's state shows errors, and asynchronous checks run.
  public func touch() {
    guard !state.access({ $0.newest.isTouched }) else { return }
    revalidate { state in
      if !state.newest.isTouched { state.asynchronousChecksAreDue = true }
      state.newest.isTouched = true
    }
  }

  /// Replaces the rules while the form runs, and evaluates the current value by the new ones.
  ///
  /// When it returns, the report lists the checks of this validator, and observers are notified.
  /// The value, whether it is touched, the asynchronous checks and those of ``require(_:)`` stay.
  /// An asynchronous check starts again unless its answer for the value is cached.
  public func replaceValidator(with validator: Validator<Value>) {
    revalidate { state in
      (state.validator, state.validatorIsNew) = (validator, true)
      state.asynchronousChecksAreDue = true
    }
  }

  /// Restores the initial value and the untouched state.
  public func reset() {
    change(to: initialValue) { $0.newest.isTouched = false }
  }

  private func change(
    to value: Value, _ also: (inout FieldState<Value>) -> Void
  ) {
    properties.valueWillChange()
    revalidate { state in
      also(&state)
      state.asynchronousChecksAreDue = true
      state.newest.value = value
    }
    properties.valueDidChange()
    // Also if another thread has set a newer value: its report may not have reached them yet.
    for dependent in state.access({ $0.dependents }) { dependent.field?.dependencyDidChange() }
  }
}

extension ValidatedField: CustomStringConvertible, CustomReflectable {
  /// The state of the value, without the value, which may be a password.
  public var description: String { "ValidatedField(\(state.access { $0.report.state }))" }

  /// A mirror of the report, without the value, which may be a password.
  public var customMirror: Mirror {
    Mirror(self, children: ["report": state.access { $0.report }], displayStyle: .class)
  }
}
