public import PasswordRules

extension NIST {
  /// A demand of a rule set that contradicts NIST SP 800-63B-4, section 3.1.1.2.
  public enum Contradiction: Hashable, Sendable {
    /// Characters of certain classes are required, which is a composition rule.
    case requires([CharacterClass])
    /// Runs are limited to so many characters, which is a composition rule.
    case limitsRuns(ValidationMessage.Run, Int)
    /// Only these classes may be used, not all of printable ASCII with the space.
    case refusesASCII(allowing: [CharacterClass])
    /// Only printable ASCII may be used.
    case refusesUnicode
    /// Passwords of so many code points are accepted; there must be more.
    case acceptsShort(Int, minimum: Int)
    /// Passwords of more than so many code points are refused; 64 should be accepted.
    case refusesLong(Int)

    /// Whether NIST says "shall", and not "should".
    public var isMandatory: Bool {
      switch self {
      case .requires, .limitsRuns, .acceptsShort: true
      case .refusesASCII, .refusesUnicode, .refusesLong: false
      }
    }
  }

  /// What in a rule set contradicts NIST SP 800-63B-4, in the order of the rules.
  ///
  /// What a list of rules cannot say, such as a block list, is not looked for.
  ///
  /// - Parameters:
  ///   - rules: What a service demands of passwords, in code points.
  ///   - secondFactor: Whether a password is only used together with another factor.
  /// - Returns: The demands that contradict, and what of them follows.
  public static func contradictions(
    of rules: PasswordRuleSet, secondFactor: Bool = false
  ) -> [Contradiction] {
    let minimum = minimum(secondFactor: secondFactor)
    var found: [Contradiction] = []
    for rule in rules.rules {
      switch rule {
      case .required(let classes):
        // What any accepted character meets is no composition rule.
        if classes != rules.allowedClasses { found.append(.requires(classes)) }
      case .maxConsecutive(let limit): found.append(.limitsRuns(.consecutive, limit))
      case .maxRepeating(let limit): found.append(.limitsRuns(.repeating, limit))
      case .maxSequential(let limit): found.append(.limitsRuns(.sequential, limit))
      case .maxLength(let limit): if limit < leastMaximum { found.append(.refusesLong(limit)) }
      case .allowed, .minLength: continue
      }
    }
    // Both are there without a rule that says it.
    let characters = ListedCharacters(rules.allowedClasses)
    if !PrintableCharacters.all.allSatisfy(characters.contains) {
      found.append(.refusesASCII(allowing: rules.allowedClasses))
    } else if !characters.areAll {
      found.append(.refusesUnicode)
    }
    let least = max(rules.minLength ?? 0, 1)
    if least < minimum { found.append(.acceptsShort(least, minimum: minimum)) }
    return found
  }
}

extension NIST.Contradiction: CustomStringConvertible {
  /// What contradicts, and what NIST demands instead.
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
      "\(Self.text(of: .minimumLength(least, .codePoints))): \(minimum) shall be the fewest."
    case .refusesLong(let most):
      "\(Self.text(of: .maximumLength(most, .codePoints))): at least 64 should be accepted."
    }
  }

  private static func text(of message: ValidationMessage) -> String {
    message.text(in: .english)
  }
}
