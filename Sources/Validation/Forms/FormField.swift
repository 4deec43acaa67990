/// A field of a ``ValidationForm``, independent of the type of the value.
///
/// The only conforming type is ``ValidatedField``.
public protocol FormField: AnyObject, Sendable, Identifiable<ObjectIdentifier> {
  /// The report on the value.
  var report: ValidationReport { get }
  /// The current report and the report after each change, as an asynchronous sequence.
  var reports: ValidationReports<ValidationReport> { get }

  /// Calls a closure after each change of the report, until the returned object is released.
  func observe(_ observer: @escaping @Sendable () -> Void) -> ValidationObservation
  /// Marks the field as visited.
  func touch()
  /// Restores the initial value and the untouched state.
  func reset()
  /// Runs all checks of the value, and returns the report after no check is pending.
  @discardableResult func validate() async -> ValidationReport
}

extension ValidatedField: FormField {}
