/// The result of checking a password, rule by rule.
public struct PasswordReport: Hashable, Sendable {
  /// The state of a rule while the user types.
  public enum State: Hashable, Sendable {
    /// The password satisfies the rule.
    case satisfied
    /// The password does not satisfy the rule yet, but appending characters can.
    case incomplete
    /// The user must delete or replace characters; appending cannot satisfy the rule.
    case violated
  }

  /// One rule and its state.
  public struct Check: Hashable, Sendable {
    /// The rule.
    public let rule: PasswordRule
    /// The state of the rule.
    public internal(set) var state = State.satisfied
    /// The ranges of the characters that violate the rule, in code points, with the whole of each
    /// run that is too long.
    public internal(set) var violations: [Range<Int>] = []
  }

  /// The checks in the order of the canonical form, including one for the allowed characters.
  public let checks: [Check]
  /// The length of the password, in the unit of the check.
  public let length: Int
  /// The smallest number of characters to append to satisfy all rules, or nil if appending cannot
  /// satisfy them.
  ///
  /// It is a lower bound if the required classes overlap in too many ways.
  public let shortestCompletion: Int?

  /// Whether every rule is satisfied.
  public var isSatisfied: Bool { checks.allSatisfy { $0.state == .satisfied } }
}
