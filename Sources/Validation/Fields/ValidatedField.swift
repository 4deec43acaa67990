public import Observation
import SerializedAccess

/// A value that is looked at whenever it changes, and the report on it.
///
/// ```swift
/// final class SignUp: Sendable {
///   let name = ValidatedField("", .notEmpty && .count(...20))
/// }
/// ```
///
/// Every value is kept, valid or not. When a value has been set, the report is that of this value or of
/// a newer one, on whichever thread. Checks, observers and consumers run while no lock is held, so that
/// they may use this field and others.
///
/// Reading ``value`` or ``report`` is heard by `withObservationTracking`.
public final class ValidatedField<Value: Sendable>: Sendable, Observable, Identifiable {
  let validator: Validator<Value>
  let asynchronousChecks: [AsynchronousCheck<Value>]
  let initialValue: Value
  let clock: any Clock<Duration>
  let state: Serialized<FieldState<Value>>
  let properties = ObservedProperties()

  /// Creates a field with an initial value, which nobody has touched yet.
  ///
  /// The checks of the report are those of the validator, then the asynchronous ones, then those that
  /// ``require(_:)`` adds. The clock counts the debounce and the time-out of the asynchronous checks.
  public init(
    _ value: Value, _ validator: Validator<Value>,
    asynchronously checks: [AsynchronousCheck<Value>] = [],
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.validator = validator
    self.clock = clock
    asynchronousChecks = checks
    initialValue = value
    var report = validator.report(for: value)
    report.isTouched = false
    for check in checks { report.append(check.waiting) }
    state = Serialized(
      FieldState(
        value: value, report: report, newestValue: value,
        runs: checks.map { AsynchronousRun($0) }, firstRun: validator.checks.count))
  }

  deinit {
    let (tasks, observers, checks) = state.access { state in
      defer {
        // Two fields with checks that read each other would keep each other's state alive.
        state.crossFieldChecks = []
        state.observers = ChangeObservers()
      }
      return (state.stopRuns(), state.observers.all, state.crossFieldChecks)
    }
    for task in tasks { task.cancel() }
    for observer in observers { observer.ended() }
    withExtendedLifetime(checks) {}
  }

  /// The value, valid or not; setting it touches the field.
  public var value: Value {
    get {
      properties.valueIsRead()
      return state.access { $0.value }
    }
    set {
      change(to: newValue) { $0.isTouched = true }
    }
  }

  /// How the value stands.
  public var report: ValidationReport {
    properties.reportIsRead()
    return state.access { $0.report }
  }

  /// Whether every requirement holds, touched or not.
  public var isValid: Bool { report.isValid }

  /// Notes that somebody has been at the field, as when the keyboard leaves it.
  ///
  /// From then on the report's state says what is wrong, and asynchronous checks are made.
  public func touch() {
    guard !state.access({ $0.isTouched }) else { return }
    settle { state in
      if !state.isTouched { state.asynchronousChecksAreDue = true }
      state.isTouched = true
    }
  }

  /// Puts the initial value back, as if nobody had touched the field.
  public func reset() {
    change(to: initialValue) { $0.isTouched = false }
  }

  private func change(
    to value: Value, _ also: (inout FieldState<Value>) -> Void
  ) {
    properties.valueWillChange()
    settle { state in
      also(&state)
      state.asynchronousChecksAreDue = true
      state.newestValue = value
    }
    properties.valueDidChange()
    // Also when another thread has set a newer value: its report may not have reached them yet.
    for dependent in state.access({ $0.dependents }) { dependent.field?.dependencyDidChange() }
  }
}
