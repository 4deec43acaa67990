extension PasswordRuleSet {
  /// The longest passwords that are counted.
  private static let longestLength = 1024

  /// How many passwords of a length satisfy the rules.
  ///
  /// All of Unicode counts as printable ASCII.
  ///
  /// - Parameters:
  ///   - length: In Unicode code points.
  ///   - reading: What several requirements mean together.
  /// - Returns: The exact number; zero when the rules refuse the length.
  /// - Complexity: Quadratic in the length.
  /// - Throws: ``PasswordRulesError/tooComplex(_:)`` for a length over 1024, or for required classes
  ///   that overlap in too many ways.
  public func count(
    length: Int, reading: RequirementReading = .distinct
  ) throws(PasswordRulesError) -> Natural {
    guard length >= 0, length >= minLength ?? 0, length <= maxLength ?? length else { return 0 }
    if reading == .distinct, requirements.count > length { return 0 }
    if length > Self.longestLength {
      throw .tooComplex("Passwords of \(length) characters are too long to be counted")
    }
    let space = try space(reading: reading)
    var counts = PasswordCounts(space)
    for _ in 0..<length { counts.extend() }
    return counts.all[0]
  }

  /// How many bits a password of a length has that was chosen evenly, or minus infinity when there is
  /// none.
  ///
  /// - Throws: As ``count(length:reading:)`` does.
  public func entropy(
    length: Int, reading: RequirementReading = .distinct
  ) throws(PasswordRulesError) -> Double {
    try count(length: length, reading: reading).binaryLogarithm
  }
}
