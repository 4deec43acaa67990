/// What is right and what is missing in a password, rule by rule.
public struct PasswordReport: Hashable, Sendable {
  /// What a person has to do about a rule.
  public enum State: Hashable, Sendable {
    /// Nothing.
    case satisfied
    /// To go on typing.
    case notYet
    /// To delete or replace something: whatever is typed at the end cannot satisfy it.
    case broken
  }

  /// One rule, and how it stands.
  public struct Check: Hashable, Sendable {
    /// The rule.
    public let rule: PasswordRule
    /// How it stands.
    public internal(set) var state = State.satisfied
    /// Where the rule is broken, in Unicode code points from the beginning; runs are there in full.
    public internal(set) var violations: [Range<Int>] = []

    init(_ rule: PasswordRule) {
      self.rule = rule
    }
  }

  /// The rules in the order of the canonical form, what is allowed in any case.
  public let checks: [Check]
  /// The password's length, in the unit of the check.
  public let length: Int
  /// How many characters must at least be typed at the end to satisfy all rules.
  ///
  /// Zero when they are satisfied, nil when no typing can satisfy them. Where the required classes overlap in too many ways to tell, it is a lower
  /// bound.
  public let shortestCompletion: Int?

  /// Whether every rule is satisfied.
  public var isSatisfied: Bool { checks.allSatisfy { $0.state == .satisfied } }
}

/// What a length counts.
public enum LengthUnit: Hashable, Sendable, CaseIterable {
  /// Unicode code points, which is what NIST SP 800-63B counts.
  case codePoints
  /// Characters as people see them (extended grapheme clusters, UAX #29).
  case graphemeClusters
  /// Code units of UTF-16, which is what JavaScript and HTML's `maxlength` count.
  case utf16
  /// Bytes of UTF-8.
  case utf8

  /// The length of a text in this unit.
  package func length(of text: String) -> Int {
    switch self {
    case .codePoints: text.unicodeScalars.count
    case .graphemeClusters: text.count
    case .utf16: text.utf16.count
    case .utf8: text.utf8.count
    }
  }

  /// Where, in code points, a text is beyond a limit.
  package func excess(of text: String, over limit: Int) -> Range<Int> {
    let end = text.unicodeScalars.count
    if self == .graphemeClusters { return text.prefix(limit).unicodeScalars.count..<end }
    var (length, start) = (0, 0)
    for scalar in text.unicodeScalars {
      switch self {
      case .utf8: length += UTF8.width(scalar)
      case .utf16: length += UTF16.width(scalar)
      case .codePoints, .graphemeClusters: length += 1
      }
      if length > limit { break }
      start += 1
    }
    return start..<end
  }
}
