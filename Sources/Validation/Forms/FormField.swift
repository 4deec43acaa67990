/// A field of any type of value, as a ``ValidationForm`` holds it: a ``ValidatedField``.
public protocol FormField: AnyObject, Sendable, Identifiable<ObjectIdentifier> {
  /// How the value stands.
  var report: ValidationReport { get }
  /// The report as it is now, and then after each change.
  var reports: ValidationReports<ValidationReport> { get }

  /// Calls a closure after each change of the report, until the result is released.
  func observe(_ observer: @escaping @Sendable () -> Void) -> ValidationObservation
  /// Notes that somebody has been at the field.
  func touch()
  /// Puts the initial value back, as if nobody had touched the field.
  func reset()
  /// Makes all checks of the value and returns the report on it, which has nothing pending.
  @discardableResult func validate() async -> ValidationReport
}

extension ValidatedField: FormField {}
