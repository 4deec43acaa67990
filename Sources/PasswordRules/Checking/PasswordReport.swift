/// The result of checking a password, rule by rule.
public struct PasswordReport: Hashable, Sendable {
  /// The action that a rule needs from the user.
  public enum State: Hashable, Sendable {
    /// No action.
    case satisfied
    /// More typing.
    case notYet
    /// Deletion or replacement: no text typed at the end can satisfy the rule.
    case broken
  }

  /// One rule and its state.
  public struct Check: Hashable, Sendable {
    /// The rule.
    public let rule: PasswordRule
    /// The state of the rule.
    public internal(set) var state = State.satisfied
    /// The places that break the rule, in Unicode code points from the start; runs are complete.
    public internal(set) var violations: [Range<Int>] = []

    init(_ rule: PasswordRule) {
      self.rule = rule
    }
  }

  /// The rules in the order of the canonical form, including one for the allowed characters.
  public let checks: [Check]
  /// The length of the password, in the unit of the check.
  public let length: Int
  /// The minimum number of characters to append until all rules are satisfied.
  ///
  /// Zero if all are satisfied, nil if appending cannot satisfy them. It is a lower bound if the
  /// overlaps of the required classes are too complex.
  public let shortestCompletion: Int?

  /// Whether every rule is satisfied.
  public var isSatisfied: Bool { checks.allSatisfy { $0.state == .satisfied } }
}

/// The unit of a length.
public enum LengthUnit: Hashable, Sendable, CaseIterable {
  /// Unicode code points, as NIST SP 800-63B counts.
  case codePoints
  /// User-perceived characters (extended grapheme clusters, UAX #29).
  case graphemeClusters
  /// UTF-16 code units, as JavaScript and HTML's `maxlength` count.
  case utf16
  /// UTF-8 bytes.
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

  /// Returns the range, in code points, of the text beyond a limit.
  package func excess(of text: String, over limit: Int) -> Range<Int> {
    let kept =
      switch self {
      case .codePoints: text.unicodeScalars.prefix(limit).endIndex
      case .graphemeClusters: text.prefix(limit).endIndex
      case .utf16: text.utf16.prefix(limit).endIndex
      case .utf8: text.utf8.prefix(limit).endIndex
      }
    // An index inside of a code point is rounded down.
    return text.unicodeScalars[..<kept].count..<text.unicodeScalars.count
  }
}
