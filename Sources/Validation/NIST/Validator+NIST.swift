import PasswordRules

extension Validator<String> {
  /// A password as NIST SP 800-63B-4 demands it: long enough, not on a block list, and no rules about what
  /// it is composed of.
  ///
  /// Lengths count code points after normalizing, and the whole password is compared with the list. If it
  /// is there, the advice says so and that another is to be chosen, as NIST demands. That check is
  /// `.notYet`, because going on can make another password of it.
  ///
  /// - Parameters:
  ///   - secondFactor: Whether the password is only used together with another factor; then 8
  ///     code points are enough, and else there must be 15.
  ///   - blockList: What may not be chosen.
  ///   - maximum: The most code points that are accepted; nil if there is no limit. NIST wants at least 64,
  ///     so that a smaller number counts as 64.
  ///   - normalizing: Brings a password into the form that is compared and hashed. NIST recommends NFKC,
  ///     which is in Foundation: pass `\.precomposedStringWithCompatibilityMapping`.
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

    return Validator(checks: checks) { [last = checks.count - 1] typed, findings in
      let password = normalizing(typed)
      let length = password.unicodeScalars.count
      findings.note(
        length < minimum ? .notYet : .satisfied,
        advice: length < minimum ? .addCharacters(minimum - length, .codePoints) : nil)
      if let maximum {
        let excess = length - maximum
        findings.note(
          excess > 0 ? .broken : .satisfied, at: 1,
          advice: excess > 0 ? .removeCharacters(excess, .codePoints) : nil,
          places: excess > 0 ? [typed.lastPlace(excess)] : [])
      }
      let isBlocked = blockList.contains(password)
      findings.note(
        isBlocked ? .notYet : .satisfied, at: last, advice: isBlocked ? .chooseAnother : nil)
    }
  }
}

extension String {
  /// The last so many code points, or fewer where normalizing made more of them.
  fileprivate func lastPlace(_ count: Int) -> Range<Int> {
    let end = unicodeScalars.count
    return max(0, end - count)..<end
  }
}
