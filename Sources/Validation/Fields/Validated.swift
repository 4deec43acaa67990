/// A property that stores any value, even an invalid one, and a report on that value.
///
/// ```swift
/// @Validated(.notEmpty && .count(...20)) var name = ""
/// name = "Chihiro"
/// print($name.report.state)  // valid
/// ```
///
/// The projected value `$name` is the ``ValidatedField`` with the report, which copies of a
/// structure share. In a `Sendable` class, use a constant ``ValidatedField``. In an `@Observable`
/// class, write `@ObservationIgnored` before `@Validated`, because the field itself is observable.
///
/// Assigning the value is atomic, but changing it in place, as in `name += "!"`, is not.
@propertyWrapper
public struct Validated<Value: Sendable>: Sendable {
  /// The field with the value and the report.
  public let projectedValue: ValidatedField<Value>

  /// Creates an untouched field, as ``ValidatedField/init(_:_:asynchronously:clock:)`` does.
  public init(
    wrappedValue: Value, _ validator: Validator<Value>,
    asynchronously checks: [AsynchronousCheck<Value>] = [],
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    projectedValue = ValidatedField(wrappedValue, validator, asynchronously: checks, clock: clock)
  }

  /// The value; setting it touches the field.
  public var wrappedValue: Value {
    get { projectedValue.value }
    nonmutating set { projectedValue.value = newValue }
  }
}
