public import PasswordRules

/// The rules of NIST SP 800-63B-4, section 3.1.1.2, for passwords chosen by users.
public enum NIST: Sendable {
  /// The minimum length, in code points, of a password used alone.
  public static let minimumAlone = 15
  /// The minimum length, in code points, of a password used with a second factor.
  public static let minimumWithSecondFactor = 8
  /// The recommended lower bound for a maximum length, in code points.
  public static let leastMaximum = 64

  /// Returns the minimum length, in code points, of a password with or without a second factor.
  public static func minimum(secondFactor: Bool) -> Int {
    secondFactor ? minimumWithSecondFactor : minimumAlone
  }
}

extension Validator<String> {
  /// Returns a validator for passwords as NIST SP 800-63B-4 requires: long enough, not on a block
  /// list, and without composition rules.
  ///
  /// Lengths count code points after normalization, and the whole password is compared with the
  /// list. If it is listed, the advice says so and asks for another, as NIST requires. That check
  /// is `.notYet`, because more typing can make it another password.
  ///
  /// - Parameters:
  ///   - secondFactor: Whether the password is used only together with another factor; the minimum
  ///     is then 8 code points instead of 15.
  ///   - blockList: The forbidden passwords.
  ///   - maximum: The maximum number of code points; nil for no limit. NIST recommends at least 64,
  ///     so a smaller number counts as 64.
  ///   - normalizing: Returns the form of a password that is compared and hashed. NIST recommends
  ///     NFKC, which is in Foundation: pass `\.precomposedStringWithCompatibilityMapping`.
  /// - Returns: The checks `minLength`, `maxLength` where there is a limit, and `notBlocked`.
  public static func nist(
    secondFactor: Bool = false, blockList: PasswordBlockList, maximum: Int? = nil,
    normalizing: @escaping @Sendable (String) -> String = { $0 }
  ) -> Validator {
    let minimum = NIST.minimum(secondFactor: secondFactor)
    let maximum = maximum.map { max($0, NIST.leastMaximum) }
    var checks = [
      ValidationCheck(
        id: .init("minLength"), requirement: .minimumLength(minimum, .codePoints))
    ]
    if let maximum {
      checks.append(
        ValidationCheck(
          id: .init("maxLength"), requirement: .maximumLength(maximum, .codePoints)))
    }
    checks.append(ValidationCheck(id: .init("notBlocked"), requirement: .notBlocked))

    return Validator(checks: checks) { [last = checks.count - 1] typed, results in
      let password = normalizing(typed)
      let length = password.unicodeScalars.count
      results.note(
        length < minimum ? .notYet : .satisfied,
        advice: length < minimum ? .addCharacters(minimum - length, .codePoints) : nil)
      if let maximum {
        let excess = length - maximum
        results.note(
          excess > 0 ? .broken : .satisfied, at: 1,
          advice: excess > 0 ? .removeCharacters(excess, .codePoints) : nil,
          places: excess > 0 ? [typed.lastPlace(excess)] : [])
      }
      let isBlocked = blockList.contains(password)
      results.note(
        isBlocked ? .notYet : .satisfied, at: last, advice: isBlocked ? .chooseAnother : nil)
    }
  }
}

extension String {
  /// Returns the range of the last `count` code points, or fewer if normalization added some.
  fileprivate func lastPlace(_ count: Int) -> Range<Int> {
    let end = unicodeScalars.count
    return max(0, end - count)..<end
  }
}

extension NIST {
  /// A requirement of a rule set that contradicts NIST SP 800-63B-4, section 3.1.1.2.
  public enum Contradiction: Hashable, Sendable {
    /// Characters of certain classes are required, which is a composition rule.
    case requires([CharacterClass])
    /// Runs are limited to a number of characters, which is a composition rule.
    case limitsRuns(ValidationMessage.Run, Int)
    /// Only these classes are allowed, not all of printable ASCII with the space.
    case refusesASCII(allowing: [CharacterClass])
    /// Only printable ASCII is allowed.
    case refusesUnicode
    /// Passwords of this many code points are accepted, fewer than the minimum.
    case acceptsShort(Int, minimum: Int)
    /// Passwords longer than this many code points are rejected; 64 should be accepted.
    case refusesLong(Int)

    /// Whether NIST says "shall" instead of "should".
    public var isMandatory: Bool {
      switch self {
      case .requires, .limitsRuns, .acceptsShort: true
      case .refusesASCII, .refusesUnicode, .refusesLong: false
      }
    }
  }

  /// Returns the contradictions of a rule set to NIST SP 800-63B-4, in the order of its rules.
  ///
  /// Requirements beyond rule sets, such as a block list, are not checked.
  ///
  /// - Parameters:
  ///   - rules: A service's rules for passwords, in code points.
  ///   - secondFactor: Whether a password is used only together with another factor.
  /// - Returns: The contradictions that follow from the rules.
  public static func contradictions(
    of rules: PasswordRuleSet, secondFactor: Bool = false
  ) -> [Contradiction] {
    let minimum = minimum(secondFactor: secondFactor)
    var found: [Contradiction] = []
    for rule in rules.rules {
      switch rule {
      case .required(let classes):
        // A class that every accepted character meets is not a composition rule.
        if classes != rules.allowedClasses { found.append(.requires(classes)) }
      case .maxConsecutive(let limit): found.append(.limitsRuns(.consecutive, limit))
      case .maxRepeating(let limit): found.append(.limitsRuns(.repeating, limit))
      case .maxSequential(let limit): found.append(.limitsRuns(.sequential, limit))
      case .maxLength(let limit): if limit < leastMaximum { found.append(.refusesLong(limit)) }
      case .allowed, .minLength: continue
      }
    }
    // The default alphabet can cause either, without a rule for it.
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
  /// The contradiction, and the requirement of NIST.
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
