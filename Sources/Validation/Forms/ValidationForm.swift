public import Observation
import SerializedAccess

/// Fields that are filled in together.
///
/// ```swift
/// let form = ValidationForm(userName, password, repeated)
/// if await form.validate().isValid { signUp() }
/// ```
///
/// The form keeps its fields; no field keeps a form, and a field may be in several. All that a form says
/// it reads from the fields, so that reading it is heard by `withObservationTracking`.
public final class ValidationForm: Sendable, Observable, Identifiable {
  /// The fields, in the order in which a person goes through them.
  public let fields: [any FormField]

  private let observers: Serialized<ChangeObservers>
  private let observations: [ValidationObservation]

  /// Creates a form of fields, in the order in which a person goes through them.
  public convenience init(_ fields: any FormField...) {
    self.init(fields)
  }

  /// Creates a form of fields, in the order in which a person goes through them.
  public init(_ fields: [any FormField]) {
    self.fields = fields
    let observers = Serialized(ChangeObservers())
    self.observers = observers
    observations = fields.map { field in
      // The observers without the form, which ends with whoever else holds it.
      field.observe { for observer in observers.access({ $0.all }) { observer.changed() } }
    }
  }

  deinit {
    for observer in observers.access({ $0.all }) { observer.ended() }
  }

  /// How the fields stand.
  public var report: ValidationFormReport {
    ValidationFormReport(fields: fields.map { .init(id: $0.id, report: $0.report) })
  }

  /// How the form stands, as ``ValidationFormReport/state`` says.
  public var state: ValidationReport.State { report.state }

  /// The share of the requirements of all fields that hold, 0 to 1; 1 where there are none.
  public var progress: Double { report.progress }

  /// Whether every requirement of every field holds, touched or not.
  public var isValid: Bool { report.isValid }

  /// The requirements that do not hold, in the order of the fields, touched or not.
  public var errors: [ValidationFormReport.FieldError] { report.errors }

  /// The first field with a requirement that does not hold or could not be checked; nil when there is
  /// nothing for a person to do.
  public var firstNeedingAttention: (any FormField)? {
    let id = report.firstNeedingAttention
    return fields.first { $0.id == id }
  }

  /// The report as it is now, and then after each change of a field.
  public var reports: ValidationReports<ValidationFormReport> {
    ValidationReports(
      current: { [weak self] in self?.report },
      observe: { [weak self] in self?.observe(changed: $0, ended: $1) })
  }

  /// Calls a closure after each change of a field's report, until the result is released.
  ///
  /// It runs on whichever thread made the change, possibly on two at once, and reads the report itself.
  public func observe(_ observer: @escaping @Sendable () -> Void) -> ValidationObservation {
    observe(changed: observer, ended: {})
  }

  /// Touches all fields, so that each says what is wrong with it.
  public func touchAll() {
    for field in fields { field.touch() }
  }

  /// Puts the initial values of all fields back.
  public func resetAll() {
    for field in fields { field.reset() }
  }

  /// Validates all fields at once, as ``ValidatedField/validate()`` does, and returns the report on all.
  ///
  /// If the task is cancelled, what is known by then is returned at once.
  public func validate() async -> ValidationFormReport {
    touchAll()
    await withTaskGroup { group in
      for field in fields { group.addTask { _ = await field.validate() } }
    }
    return report
  }

  private func observe(
    changed: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void
  ) -> ValidationObservation {
    let number = observers.access { $0.add(changed: changed, ended: ended) }
    return ValidationObservation { [weak observers] in
      // What the observer holds is released without the lock.
      _ = observers?.access { $0.remove(number) }
    }
  }
}
