import PasswordRules

extension Validator<String> {
  /// Returns a validator that checks the length of a password and compares it with a block list, as
  /// NIST SP 800-63B-4 requires.
  ///
  /// Lengths are counted in code points after normalization. Only whole passwords are compared with
  /// the list. The advice for a listed password is to choose another, as NIST requires. The check
  /// is then `.incomplete`, because appending text results in another password.
  ///
  /// - Parameters:
  ///   - secondFactor: Whether the password is used only together with another factor. The minimum
  ///     is then 8 code points instead of 15.
  ///   - blockList: The forbidden passwords.
  ///   - maximum: The maximum number of code points, or nil for no limit. NIST recommends at least
  ///     64, so any lower number is raised to 64.
  ///   - normalizing: A closure that returns the normalized form of a password, which is compared
  ///     and hashed. For NFKC, which NIST recommends, pass Foundation's
  ///     `\.precomposedStringWithCompatibilityMapping`.
  /// - Returns: A validator with the checks `minLength`, `maxLength` if there is a maximum, and
  ///   `notBlocked`.
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
      results.record(
        length < minimum ? .incomplete : .satisfied,
        advice: length < minimum ? .addCharacters(minimum - length, .codePoints) : nil)
      if let maximum {
        let excess = length - maximum
        results.record(
          excess > 0 ? .violated : .satisfied, at: 1,
          advice: excess > 0 ? .removeCharacters(excess, .codePoints) : nil,
          positions: excess > 0 ? [typed.lastPosition(excess)] : [])
      }
      let isBlocked = blockList.contains(password)
      results.record(
        isBlocked ? .incomplete : .satisfied, at: last, advice: isBlocked ? .chooseAnother : nil)
    }
  }
}

extension String {
  /// Returns the range of the last `count` code points, or of all if there are fewer.
  fileprivate func lastPosition(_ count: Int) -> Range<Int> {
    let end = unicodeScalars.count
    return max(0, end - count)..<end
  }
}
