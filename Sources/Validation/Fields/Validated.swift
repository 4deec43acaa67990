/// A property that keeps every value, valid or not, and knows how it stands.
///
/// ```swift
/// @Validated(.notEmpty && .count(...20)) var name = ""
/// name = "Chihiro"
/// print($name.report.state)  // valid
/// ```
///
/// `$name` is the ``ValidatedField``, which has the report. Copies of a structure with such a property
/// share the field, and with it the value: whoever edits a copy edits the original. Where Swift does not
/// allow a property wrapper, as in a `Sendable` class, hold a ``ValidatedField`` in a constant; in an
/// `@Observable` class, write `@ObservationIgnored` before `@Validated`, since the field is observed by
/// itself.
///
/// Assigning is one step that any thread can make, but a change in place (`name += "!"`) reads and
/// writes in two.
@propertyWrapper
public struct Validated<Value: Sendable>: Sendable {
  /// The field, which has the report.
  public let projectedValue: ValidatedField<Value>

  /// Creates a field with an initial value, which nobody has touched yet.
  ///
  /// The clock counts the debounce and the time-out of the asynchronous checks.
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
