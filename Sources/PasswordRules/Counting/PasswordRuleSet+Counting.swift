extension PasswordRuleSet {
  /// Returns the number of passwords of a length that satisfy the rules.
  ///
  /// If the rules allow all of Unicode, only passwords in printable ASCII are counted.
  ///
  /// - Parameters:
  ///   - length: The length in Unicode code points.
  ///   - mode: Whether one character can meet several requirements.
  /// - Returns: The exact number, which is zero if the rules do not allow the length.
  /// - Complexity: Quadratic in the length.
  /// - Throws: ``PasswordRulesError/tooComplex(_:)`` for a length over 1024, if the required
  ///   classes overlap in too many ways, or if the limits on runs are too high.
  public func count(
    length: Int, matching mode: RequirementMatchingMode = .distinct
  ) throws -> Natural {
    var counter = PasswordCounter(self, matching: mode)
    return try counter.count(length: length)
  }

  /// Returns the entropy, in bits, of a uniformly random password of a length.
  ///
  /// The entropy is minus infinity if no such password exists.
  ///
  /// - Throws: The errors of ``count(length:matching:)``.
  public func entropy(
    length: Int, matching mode: RequirementMatchingMode = .distinct
  ) throws -> Double {
    try count(length: length, matching: mode).binaryLogarithm
  }

  /// Returns the length of the shortest valid password.
  ///
  /// - Throws: ``PasswordRulesError/unsatisfiable(_:)`` with the reason, or
  ///   ``PasswordRulesError/tooComplex(_:)``.
  public func shortestLength(
    matching mode: RequirementMatchingMode = .distinct
  ) throws -> Int {
    var counter = PasswordCounter(self, matching: mode)
    return try counter.shortestLength()
  }

  /// Returns the length that browsers choose: 20, or the nearest length that the rules allow.
  ///
  /// - Throws: ``PasswordRulesError/unsatisfiable(_:)`` or ``PasswordRulesError/tooComplex(_:)``.
  public func defaultLength(
    matching mode: RequirementMatchingMode = .distinct
  ) throws -> Int {
    var counter = PasswordCounter(self, matching: mode)
    return try counter.defaultLength()
  }

  /// The number of characters with which a run can always be avoided: one more than the last
  /// character, its successor, and its predecessor.
  private static let ample = 4

  /// Whether the alphabet and each requirement always leave a character that continues no run.
  var hasAmpleChoice: Bool {
    if runLimits.isEmpty { return !listedAlphabet.isEmpty }
    return alphabet.hasAtLeast(Self.ample)
      && requirements.allSatisfy { $0.hasAtLeast(Self.ample) }
  }

  /// The characters of the alphabet, or printable ASCII if the alphabet is all of Unicode.
  var listedAlphabet: PrintableCharacters {
    switch alphabet {
    case .printable(let characters): characters
    case .unicode: .all
    }
  }
}
