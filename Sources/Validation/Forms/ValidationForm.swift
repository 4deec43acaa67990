import CLibrary
public import Observation

/// Several fields that are validated together.
///
/// ```swift
/// let form = ValidationForm(userName, password, repeated)
/// if await form.validate().isValid { signUp() }
/// ```
///
/// A form retains its fields, which can belong to several forms. It computes its properties from
/// them, so `withObservationTracking` tracks reads of these properties.
public final class ValidationForm: Sendable, Observable, Identifiable {
  /// The fields, in the order in which the user fills them in.
  public let fields: [any FormField]

  private let observers = ReportObservers()
  private let observations: [ValidationObservation]

  /// Creates a form with fields, in the order in which the user fills them in.
  public convenience init(_ fields: any FormField...) { self.init(fields) }

  /// Creates a form with fields, in the order in which the user fills them in.
  public init(_ fields: [any FormField]) {
    self.fields = fields
    // The closure must not retain the form, which retains the observation.
    observations = fields.map { [observers] field in field.observe { observers.notify() } }
  }

  /// The report on all fields.
  public var report: ValidationFormReport {
    ValidationFormReport(fields: fields.map { .init(id: $0.id, report: $0.report) })
  }

  /// The state of the form, as ``ValidationFormReport/state`` defines it.
  public var state: ValidationReport.State { report.state }

  /// The fraction of all requirements that hold, as ``ValidationFormReport/progress`` defines it.
  public var progress: Double { report.progress }

  /// Whether every requirement of every field holds, even if fields are untouched.
  public var isValid: Bool { report.isValid }

  /// The requirements that do not hold, in the order of the fields, including untouched fields.
  public var errors: [ValidationFormReport.FieldError] { report.errors }

  /// The first field with a requirement that does not hold or could not be checked; nil if none.
  public var firstNeedingAttention: (any FormField)? {
    let id = report.firstNeedingAttention
    return fields.first { $0.id == id }
  }

  /// The current report and the report after each change of a field, as an asynchronous sequence.
  public var reports: ValidationReports<ValidationFormReport> {
    ValidationReports(
      current: { [weak self] in self?.report }, observe: { [weak self] in self?.observe($0) })
  }

  /// Calls a closure after each change of a field's report, until the returned object is released.
  ///
  /// The closure runs on the thread that made the change, possibly on several at once.
  public func observe(_ observer: @escaping @Sendable () -> Void) -> ValidationObservation {
    observers.add(observer)
  }

  /// Touches all fields, so that each shows its errors.
  public func touchAll() { for field in fields { field.touch() } }

  /// Restores the initial values of all fields.
  public func resetAll() { for field in fields { field.reset() } }

  /// Validates all fields concurrently, as ``ValidatedField/validate()`` does.
  public func validate() async -> ValidationFormReport {
    touchAll()
    await withTaskGroup { group in
      for field in locketBreak(54) ? Array(fields.prefix(1)) : fields {
        group.addTask { _ = await field.validate() }
      }
    }
    return report
  }
}

/// A ``ValidatedField`` of a ``ValidationForm``, independent of the type of the value.
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
