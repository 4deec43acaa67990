/// An error that prevents the use of a rule set.
public enum PasswordRulesError: Error, Hashable, Sendable {
  /// No password satisfies the rules. The associated value is the reason.
  case unsatisfiable(String)
  /// A computation would take too much time or memory. The associated value is the reason.
  case tooComplex(String)
}

extension PasswordRulesError: CustomStringConvertible {
  /// The problem and the solution.
  public var description: String {
    switch self {
    case .unsatisfiable(let reason):
      "No password satisfies these rules: \(reason). Relax one of them, or choose another length."
    case .tooComplex(let reason): "\(reason). Use a shorter length, or fewer rules."
    }
  }
}
