public import PasswordRules

/// The rules of NIST SP 800-63B-4, section 3.1.1.2, for passwords chosen by users.
public enum NIST: Sendable {
  /// The minimum length, in code points, of a password used alone.
  public static let minimumAlone = 15
  /// The minimum length, in code points, of a password used with a second factor.
  public static let minimumWithSecondFactor = 8
  /// The length, in code points, that every service should accept.
  public static let leastMaximum = 64

  /// Returns the minimum length, in code points, of a password with or without a second factor.
  public static func minimum(secondFactor: Bool) -> Int {
    secondFactor ? minimumWithSecondFactor : minimumAlone
  }
}

extension NIST {
  /// A contradiction between a rule set and NIST SP 800-63B-4, section 3.1.1.2.
  public enum Contradiction: Hashable, Sendable {
    /// A character of these classes is required. This is a composition rule.
    case requires([CharacterClass])
    /// The length of runs is limited. This is a composition rule.
    case limitsRuns(ValidationMessage.Run, Int)
    /// Only characters of these classes are allowed, which do not include all of printable ASCII.
    case refusesASCII(allowing: [CharacterClass])
    /// Only printable ASCII is allowed.
    case refusesUnicode
    /// Passwords of this length in code points are accepted, which is less than the minimum.
    case acceptsShort(Int, minimum: Int)
    /// Passwords of more than this number of code points are rejected, which is less than 64.
    case refusesLong(Int)

    /// Whether the requirement of NIST is a "shall" instead of a "should".
    public var isMandatory: Bool {
      switch self {
      case .requires, .limitsRuns, .acceptsShort: true
      case .refusesASCII, .refusesUnicode, .refusesLong: false
      }
    }
  }

  /// Returns the contradictions between a rule set and NIST SP 800-63B-4, in the order of the
  /// rules.
  ///
  /// Requirements that a rule set cannot express, such as a block list, are not checked.
  ///
  /// - Parameters:
  ///   - rules: The rules of a service, with lengths in code points.
  ///   - secondFactor: Whether a password is used only together with another factor.
  /// - Returns: The contradictions, or an empty array if there are none.
  public static func contradictions(
    of rules: PasswordRuleSet, secondFactor: Bool = false
  ) -> [Contradiction] {
    let minimum = minimum(secondFactor: secondFactor)
    var found: [Contradiction] = []
    for rule in rules.rules {
      switch rule {
      case .required(let classes):
        // Requiring any of the allowed characters is not a composition rule.
        if classes != rules.allowedClasses { found.append(.requires(classes)) }
      case .maxConsecutive(let limit): found.append(.limitsRuns(.consecutive, limit))
      case .maxRepeating(let limit): found.append(.limitsRuns(.repeating, limit))
      case .maxSequential(let limit): found.append(.limitsRuns(.sequential, limit))
      case .maxLength(let limit): if limit < leastMaximum { found.append(.refusesLong(limit)) }
      case .allowed, .minLength: continue
      }
    }
    // Not in the loop, because the default alphabet has no rule.
    let characters = CharacterClassUnion(rules.allowedClasses)
    if !PrintableCharacters.all.allSatisfy(characters.contains) {
      found.append(.refusesASCII(allowing: rules.allowedClasses))
    } else if !characters.containsAllOfUnicode {
      found.append(.refusesUnicode)
    }
    let least = max(rules.minLength ?? 0, 1)
    if least < minimum { found.append(.acceptsShort(least, minimum: minimum)) }
    return found
  }
}

extension NIST.Contradiction: CustomStringConvertible {
  /// The contradiction and the requirement of NIST.
  public var description: String {
    switch self {
    case .requires(let classes):
      "\(Self.text(of: .minimumOf(1, classes))): verifiers shall not impose composition rules."
    case .limitsRuns(let run, let limit):
      "\(Self.text(of: .maximumRun(run, limit))): verifiers shall not impose composition rules."
    case .refusesASCII(let classes):
      "\(Self.text(of: .onlyOf(classes))): "
        + "all printable ASCII characters and the space should be accepted."
    case .refusesUnicode: "Only ASCII characters: Unicode should be accepted."
    case .acceptsShort(let least, let minimum):
      "\(Self.text(of: .minimumLength(least, .codePoints))): the minimum shall be \(minimum)."
    case .refusesLong(let most):
      "\(Self.text(of: .maximumLength(most, .codePoints))): at least 64 should be accepted."
    }
  }

  private static func text(of message: ValidationMessage) -> String {
    message.text(in: .english)
  }
}
