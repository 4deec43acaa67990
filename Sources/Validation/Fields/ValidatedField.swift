import Concurrency
public import Observation

/// A value that is validated after each change, with a report on that value.
///
/// ```swift
/// final class SignUp: Sendable {
///   let name = ValidatedField("", .notEmpty && .count(...20))
/// }
/// ```
///
/// A field stores any value, even an invalid one. It can be used from any thread: when the setter
/// of ``value`` returns, the report is that of the new value or a newer one. Checks and observers
/// are called without a lock, so they can use this field and others. `withObservationTracking`
/// tracks reads of ``value`` and ``report``.
public final class ValidatedField<Value: Sendable>: Sendable, Observable, Identifiable {
  let initialValue: Value
  let clock: any Clock<Duration>
  // No code of the app runs while this lock is held.
  let state: Lock<FieldState<Value>>
  let properties = ObservedProperties()
  let observers = ReportObservers()

  /// Creates an untouched field with an initial value.
  ///
  /// The report lists the checks of the validator, then the asynchronous checks, whose debounce and
  /// timeout the clock measures, then those added by ``require(_:)``.
  public init(
    _ value: Value, _ validator: Validator<Value>,
    asynchronously checks: [AsynchronousCheck<Value>] = [],
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.clock = clock
    initialValue = value
    var report = validator.report(for: value)
    report.isTouched = false
    report.checks.append(distinct: checks.map(\.waiting))
    state = Lock(
      FieldState(
        validator: validator, value: value, report: report, newestValue: value,
        asynchronousChecks: checks.map { AsynchronousCheckState(check: $0) }))
  }

  deinit {
    // In a forked child, the state cannot be accessed.
    if Fork.isChild { return }
    let last = state.withLock { state in
      // Two fields with checks that read each other would form a reference cycle.
      defer { state.crossFieldChecks = [] }
      return state
    }
    for check in last.asynchronousChecks { check.task?.cancel() }
    // The checks that read other fields are released outside the lock.
    withExtendedLifetime(last) {}
  }

  /// The value; setting it touches the field.
  public var value: Value {
    get {
      properties.registrar.access(properties, keyPath: \.value)
      return state.withLock { $0.value }
    }
    set { change(to: newValue, isTouched: true) }
  }

  /// The report on the value.
  public var report: ValidationReport {
    properties.registrar.access(properties, keyPath: \.report)
    return state.withLock { $0.report }
  }

  /// Whether every requirement holds, regardless of whether the field is touched.
  public var isValid: Bool { report.isValid }

  /// Marks the field as visited, so that its state shows errors and asynchronous checks run.
  public func touch() {
    guard !state.withLock({ $0.isTouched }) else { return }
    revalidate { state in
      if !state.isTouched { state.mustUpdateAsynchronousChecks = true }
      state.isTouched = true
    }
  }

  /// Replaces the validator, and evaluates the current value with the new one.
  ///
  /// When this method returns, observers have been notified. The other checks and the touched state
  /// remain. An asynchronous check starts again unless its answer for the value is cached.
  public func replaceValidator(with validator: Validator<Value>) {
    var validator = validator
    revalidate { state in
      swap(&state.validator, &validator)
      state.hasNewValidator = true
      state.mustUpdateAsynchronousChecks = true
    }
    // The replaced validator is released outside the lock.
    withExtendedLifetime(validator) {}
  }

  /// Restores the initial value and the untouched state.
  public func reset() { change(to: initialValue, isTouched: false) }

  // A text field is the most frequent; for another type, looking up the types takes longer than its
  // checks. Swift 6.3 names this attribute `@specialized`, which 6.2 does not know.
  @_specialize(where Value == String)
  private func change(to value: Value, isTouched: Bool) {
    properties.registrar.willSet(properties, keyPath: \.value)
    var value = value
    revalidate { state in
      state.isTouched = isTouched
      state.mustUpdateAsynchronousChecks = true
      swap(&state.newestValue, &value)
    }
    // The replaced value is released outside the lock.
    withExtendedLifetime(value) {}
    properties.registrar.didSet(properties, keyPath: \.value)
    // Even if another thread has set a newer value, its dependents may not be up to date yet.
    for dependent in state.withLock({ $0.dependents }) { dependent.revalidate() }
  }
}

extension ValidatedField: CustomStringConvertible, CustomReflectable {
  /// The state of the report, without the value, which can be a password.
  public var description: String { "ValidatedField(\(state.withLock { $0.report.state }))" }

  /// A mirror of the report, without the value, which can be a password.
  public var customMirror: Mirror {
    Mirror(self, children: ["report": state.withLock { $0.report }], displayStyle: .class)
  }
}

/// The properties of a field that the Observation framework tracks.
///
/// This class is not generic, because the key paths of a generic class are created at each use,
/// which takes longer than all other work for a keystroke.
final class ObservedProperties: Observable, Sendable {
  let registrar = ObservationRegistrar()

  var value: Void { () }
  var report: Void { () }
}
