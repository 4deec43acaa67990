/// How a check or a value stands, in words for people, screen readers above all.
public enum ValidationStatus: Hashable, Sendable {
  /// How a check stands.
  case check(ValidationCheck.State)
  /// How a value stands.
  case report(ValidationReport.State)
  /// So many requirements hold, of so many.
  case progress(Int, of: Int)
}
