/// An error that prevents the parsing or the use of a rule set.
public enum PasswordRulesError: Error, Hashable, Sendable {
  /// The descriptor has at least one syntax error; the issue is the first.
  case syntax(DescriptorIssue)
  /// No password satisfies the rules; the string is the reason, as a clause.
  case unsatisfiable(String)
  /// Passwords satisfy the rules, but the generator makes none of them; the string is the reason,
  /// as a clause.
  case excluded(String)
  /// The rules are too complex to count or compare their passwords; the string is the reason, as a
  /// sentence without a period.
  case tooComplex(String)
}

extension PasswordRulesError: CustomStringConvertible {
  /// The problem and the solution.
  public var description: String {
    switch self {
    case .syntax(let issue): "At character \(issue.range.lowerBound + 1): \(issue)"
    case .unsatisfiable(let reason):
      "No password satisfies these rules: \(reason). Relax one of them, or choose another length."
    case .excluded(let reason):
      """
      No password of this kind satisfies the rules: \(reason). Relax one of them, or choose another \
      length or another generator.
      """
    case .tooComplex(let reason): "\(reason). Use a shorter length, or fewer rules."
    }
  }
}
