/// What it means that a rule set requires several things.
public enum RequirementReading: Hashable, Sendable {
  /// Each requirement takes a character of its own, so that `required: digit; required: digit` needs
  /// two digits.
  case distinct
  /// One character may serve several requirements, so that saying one twice adds nothing.
  case any
}
