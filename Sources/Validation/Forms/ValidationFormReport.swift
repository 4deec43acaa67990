/// The report on all fields of a form.
public struct ValidationFormReport: Hashable, Sendable {
  /// The report of one field.
  public struct Field: Hashable, Sendable, Identifiable {
    /// The `id` of the field.
    public let id: ObjectIdentifier
    /// The report on its value.
    public let report: ValidationReport
  }

  /// An unmet requirement of one field.
  public struct FieldError: Hashable, Sendable {
    /// The `id` of the field.
    public let field: ObjectIdentifier
    /// The check.
    public let check: ValidationCheck
  }

  /// The fields, in the order of the form.
  public let fields: [Field]

  /// The state of the form: ``ValidationReport/State/pristine`` until a field is touched, then the
  /// state of one value with the checks of all fields, touched or not.
  public var state: ValidationReport.State { joined.state }

  /// Whether every requirement of every field holds, touched or not.
  public var isValid: Bool { fields.allSatisfy(\.report.isValid) }

  /// The fraction of all requirements that hold, 0 to 1; 1 if there are none.
  public var progress: Double { joined.progress }

  /// The requirements that do not hold, in the order of the fields, touched or not.
  public var errors: [FieldError] {
    fields.flatMap { field in
      field.report.errors.map { FieldError(field: field.id, check: $0) }
    }
  }

  /// The `id` of the first field with a requirement that does not hold or could not be checked; nil
  /// if the user has nothing to do.
  public var firstNeedingAttention: ObjectIdentifier? {
    fields.first { field in
      field.report.checks.contains { $0.severity == .requirement && $0.needsAttention }
    }?.id
  }

  /// Returns the number of met requirements of all fields as text, for a screen reader.
  public func progressText(in language: ValidationLanguage) -> String {
    joined.progressText(in: language)
  }

  private var joined: ValidationReport {
    ValidationReport(
      checks: fields.flatMap(\.report.checks), isTouched: fields.contains { $0.report.isTouched })
  }
}

extension ValidationCheck {
  fileprivate var needsAttention: Bool {
    switch state {
    case .notYet, .broken, .unavailable: true
    case .satisfied, .waiting, .pending: false
    }
  }
}
