/// An error that prevents the parsing or the use of a rule set.
public enum PasswordRulesError: Error, Hashable, Sendable {
  /// The descriptor has a syntax error, of which this is the first.
  case syntax(DescriptorIssue)
  /// No password satisfies the rules, with the reason.
  case unsatisfiable(String)
  /// Passwords satisfy the rules, but none that the generator makes, with the reason.
  case excluded(String)
  /// There are too many combinations to count, with the reason.
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
