/// A state or progress that a ``ValidationLanguage`` describes, mainly for screen readers.
public enum ValidationStatus: Hashable, Sendable {
  /// The state of a check.
  case check(ValidationCheck.State)
  /// The state of a value.
  case report(ValidationReport.State)
  /// The number of requirements that hold, and the number of all requirements.
  case progress(Int, of: Int)
}
