public import PasswordRules

/// The rules of NIST SP 800-63B-4, section 3.1.1.2, for passwords chosen by users.
public enum NIST: Sendable {
  /// The smallest maximum length, in code points, that a service should impose.
  public static let leastMaximum = 64

  /// Returns the minimum length of a password, in code points: 15, or 8 with a second factor.
  public static func minimum(secondFactor: Bool) -> Int { secondFactor ? 8 : 15 }

  /// A contradiction between a rule set and NIST SP 800-63B-4, section 3.1.1.2.
  public enum Contradiction: Hashable, Sendable {
    /// A character of these classes is required. This is a composition rule.
    case requires([CharacterClass])
    /// The length of runs is limited. This is a composition rule.
    case limitsRuns(ValidationMessage.Run, Int)
    /// Only characters of these classes are allowed, not all of printable ASCII.
    case refusesASCII(allowing: [CharacterClass])
    /// Only printable ASCII is allowed.
    case refusesUnicode
    /// Passwords of this length in code points, which is less than the minimum, are accepted.
    case acceptsShort(Int, minimum: Int)
    /// Passwords of more than this number of code points, which is less than 64, are rejected.
    case refusesLong(Int)

    /// Whether the requirement of NIST is a "shall" instead of a "should".
    public var isMandatory: Bool {
      switch self {
      case .requires, .limitsRuns, .acceptsShort: true
      case .refusesASCII, .refusesUnicode, .refusesLong: false
      }
    }
  }

  /// Returns the contradictions of a rule set to NIST SP 800-63B-4, in the order of the rules.
  ///
  /// Requirements that a rule set cannot express, such as a block list, are not checked.
  public static func contradictions(
    of rules: PasswordRuleSet, secondFactor: Bool = false
  ) -> [Contradiction] {
    let minimum = minimum(secondFactor: secondFactor)
    var found = rules.rules.compactMap { rule -> Contradiction? in
      switch rule {
      // Requiring any of the allowed characters is not a composition rule.
      case .required(let classes): classes == rules.allowedClasses ? nil : .requires(classes)
      case .maxConsecutive(let limit): .limitsRuns(.consecutive, limit)
      case .maxRepeating(let limit): .limitsRuns(.repeating, limit)
      case .maxSequential(let limit): .limitsRuns(.sequential, limit)
      case .maxLength(let limit): limit < leastMaximum ? .refusesLong(limit) : nil
      case .allowed, .minLength: nil
      }
    }
    // The allowed classes are checked separately, because the default alphabet has no rule.
    switch rules.allowedClasses {
    case [.unicode]: break
    case [.asciiPrintable]: found.append(.refusesUnicode)
    case let classes: found.append(.refusesASCII(allowing: classes))
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

  private static func text(of message: ValidationMessage) -> String { message.text(in: .english) }
}

extension Validator<String> {
  /// Returns a validator of a password's length and of a block list, as NIST SP 800-63B-4 requires.
  ///
  /// A listed password is `.incomplete`, because appending text results in another password.
  ///
  /// - Parameters:
  ///   - secondFactor: Whether the password is used only together with another factor. The minimum
  ///     is then 8 code points instead of 15.
  ///   - blockList: The forbidden whole passwords.
  ///   - maximum: The maximum number of code points, or nil for no limit. NIST recommends at least
  ///     64, so any lower number is raised to 64.
  ///   - normalizing: A closure that returns the form of a password that is counted, compared and
  ///     hashed. For NFKC, which NIST recommends, pass Foundation's
  ///     `\.precomposedStringWithCompatibilityMapping`.
  /// - Returns: The checks `minLength`, `maxLength` if there is a maximum, and `notBlocked`.
  public static func nist(
    secondFactor: Bool = false, blockList: PasswordBlockList, maximum: Int? = nil,
    normalizing: @escaping @Sendable (String) -> String = { $0 }
  ) -> Validator {
    let minimum = NIST.minimum(secondFactor: secondFactor)
    let limits = CountBounds(
      minimum...max(maximum ?? .max, NIST.leastMaximum), unit: .codePoints)
    let checks =
      limits.checks("minLength", "maxLength") + [ValidationCheck("notBlocked", .notBlocked)]
    return Validator(checks: checks) { [last = checks.count - 1] typed, results in
      let password = normalizing(typed)
      let length = password.unicodeScalars.count
      limits.record(length, in: &results) { maximum in
        // Normalization can change the length, so the position is that of the last code points.
        let end = typed.unicodeScalars.count
        return max(0, end - (length - maximum))..<end
      }
      let isBlocked = blockList.contains(password)
      results.record(
        isBlocked ? .incomplete : .satisfied, at: last, advice: isBlocked ? .chooseAnother : nil)
    }
  }
}
