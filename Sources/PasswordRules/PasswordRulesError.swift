/// Why a rule set cannot be worked with.
public enum PasswordRulesError: Error, Hashable, Sendable {
  /// No password satisfies the rules, for the reason given.
  case unsatisfiable(String)
  /// The length, the number of requirements or their overlaps are beyond what can be counted, for the
  /// reason given.
  case tooComplex(String)
}

extension PasswordRulesError: CustomStringConvertible {
  /// What is the matter, and what to do.
  public var description: String {
    switch self {
    case .unsatisfiable(let reason):
      "No password satisfies these rules: \(reason). Loosen one of them, or choose another length."
    case .tooComplex(let what): "\(what). Use a shorter length, or fewer rules."
    }
  }
}
