/// The report on all fields of a form.
public struct ValidationFormReport: Hashable, Sendable {
  /// The report of one field.
  public struct Field: Hashable, Sendable, Identifiable {
    /// The identifier of the field.
    public let id: ObjectIdentifier
    /// The report on the value.
    public let report: ValidationReport
  }

  /// An unmet requirement of a field.
  public struct FieldError: Hashable, Sendable {
    /// The identifier of the field.
    public let field: ObjectIdentifier
    /// The check of the requirement.
    public let check: ValidationCheck
  }

  /// The reports of the fields, in the order of the form.
  public let fields: [Field]

  /// The state of the form: ``ValidationReport/State/pristine`` until a field is touched, then that
  /// of a report with the checks of all fields, including untouched ones.
  public var state: ValidationReport.State {
    ValidationReport(
      checks: fields.flatMap(\.report.checks), isTouched: fields.contains { $0.report.isTouched }
    ).state
  }

  /// Whether every requirement of every field holds, even if fields are untouched.
  public var isValid: Bool { fields.allSatisfy(\.report.isValid) }

  /// The fraction of all requirements that hold, as ``ValidationReport/progress`` counts them.
  public var progress: Double { fields.map(\.report).progress }

  /// The requirements that do not hold, in the order of the fields, including untouched fields.
  public var errors: [FieldError] {
    fields.flatMap { field in field.report.errors.map { FieldError(field: field.id, check: $0) } }
  }

  /// The identifier of the first field with a requirement that does not hold or could not be
  /// checked; nil if there is none.
  public var firstNeedingAttention: ObjectIdentifier? {
    fields.first { field in
      field.report.checks.contains {
        $0.severity == .requirement && ![.satisfied, .waiting, .pending].contains($0.state)
      }
    }?.id
  }

  /// Returns a text for screen readers with the number of requirements that hold.
  public func progressText(in language: ValidationLanguage) -> String {
    fields.map(\.report).progressText(in: language)
  }
}
