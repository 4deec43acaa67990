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
    public let state: State
    /// Where the rule is broken, in Unicode code points from the beginning.
    public let violations: [Range<Int>]
  }

  /// The rules in the order of the canonical form.
  public let checks: [Check]
  /// The password's length, in the unit of the check.
  public let length: Int
  /// How many characters must at least be typed at the end to satisfy all rules; zero when they are,
  /// nil when no typing can.
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

  func length(of text: some StringProtocol) -> Int {
    switch self {
    case .codePoints: text.unicodeScalars.count
    case .graphemeClusters: text.count
    case .utf16: text.utf16.count
    case .utf8: text.utf8.count
    }
  }
}
