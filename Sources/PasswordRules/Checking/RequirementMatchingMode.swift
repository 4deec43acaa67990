/// Whether one character can meet several requirements of a rule set.
public enum RequirementMatchingMode: Hashable, Sendable {
  /// Each requirement needs a separate character, so `required: digit; required: digit` needs two
  /// digits.
  case distinct
  /// One character can meet several requirements, so a repeated requirement has no effect.
  case any
}
