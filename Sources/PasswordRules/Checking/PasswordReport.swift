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
    /// The ranges of the characters that violate the rule, in Unicode code points from the start,
    /// with the whole of each run that is too long.
    public internal(set) var violations: [Range<Int>] = []

    init(_ rule: PasswordRule) { self.rule = rule }
  }

  /// The checks in the order of the canonical form, including one for the allowed characters.
  public let checks: [Check]
  /// The length of the password, in the unit of the check.
  public let length: Int
  /// The smallest number of characters that must be appended to satisfy all rules.
  ///
  /// This value is zero if all rules are satisfied, and nil if appending cannot satisfy them. If
  /// the required classes overlap in too many ways to compute the exact number, it is a lower
  /// bound.
  public let shortestCompletion: Int?

  /// Whether every rule is satisfied.
  public var isSatisfied: Bool { checks.allSatisfy { $0.state == .satisfied } }
}

/// The unit in which the length of a text is measured.
public enum LengthUnit: Hashable, Sendable, CaseIterable {
  /// Unicode code points, which NIST SP 800-63B counts.
  case codePoints
  /// User-perceived characters: the extended grapheme clusters of UAX #29.
  case graphemeClusters
  /// UTF-16 code units, which JavaScript and the HTML attribute `maxlength` count.
  case utf16
  /// UTF-8 code units, which are bytes.
  case utf8

  /// Returns the length of a text in this unit.
  package func length(of text: String) -> Int {
    switch self {
    case .codePoints: text.unicodeScalars.count
    case .graphemeClusters: text.count
    case .utf16: text.utf16.count
    case .utf8: text.utf8.count
    }
  }

  /// Returns the range, in code points, of the part of a text that exceeds a limit.
  package func excess(of text: String, over limit: Int) -> Range<Int> {
    let end =
      switch self {
      case .codePoints: text.unicodeScalars.prefix(limit).endIndex
      case .graphemeClusters: text.prefix(limit).endIndex
      case .utf16: text.utf16.prefix(limit).endIndex
      case .utf8: text.utf8.prefix(limit).endIndex
      }
    // Slicing rounds an index inside a code point down.
    return text.unicodeScalars[..<end].count..<text.unicodeScalars.count
  }
}
