extension PasswordRuleSet {
  /// So many characters are enough to avoid any three: the last one and its two neighbours.
  private static let ample = 4

  /// The fewest characters that complete a password of which nothing must be deleted but what is too
  /// long; nil when none do.
  ///
  /// The length is in the unit of the limits, and so many requirements are missing.
  func shortestCompletion(
    of password: String, length: Int, missing: Int, reading: RequirementReading
  ) -> Int? {
    let room = (maxLength ?? .max) - length
    if room < 0 { return nil }
    let least = max(0, (minLength ?? 0) - length)
    let bound = max(least, reading == .distinct ? missing : min(missing, 1))
    if bound > room { return nil }
    if hasAmpleChoice, reading == .distinct || missing < 2 { return bound }
    guard let space = PasswordSpace(self, reading: reading) else { return bound }
    var reach = PasswordReach(space)
    guard reach.follow(password.unicodeScalars) else { return nil }
    return reach.shortest(in: least...room)
  }

  /// Whether the limits on runs can never be in the way of a character that is needed.
  private var hasAmpleChoice: Bool {
    if repeatingLimit == nil, sequentialLimit == nil { return !listedAlphabet.isEmpty }
    return alphabet.hasAtLeast(Self.ample)
      && requirements.allSatisfy { $0.hasAtLeast(Self.ample) }
  }

  /// The fewest characters that a password can have.
  ///
  /// - Throws: ``PasswordRulesError/unsatisfiable(_:)`` with the reason, or
  ///   ``PasswordRulesError/tooComplex(_:)``.
  public func shortestLength(
    reading: RequirementReading = .distinct
  ) throws(PasswordRulesError) -> Int {
    if let minLength, let maxLength, minLength > maxLength {
      throw .unsatisfiable("minlength \(minLength) is more than maxlength \(maxLength)")
    }
    if reading == .distinct, let maxLength, requirements.count > maxLength {
      throw .unsatisfiable(
        "\(requirements.count) required classes do not fit in maxlength \(maxLength)")
    }
    if hasAmpleChoice, reading == .distinct { return max(minLength ?? 0, requirements.count) }
    let space = try space(reading: reading)
    var reach = PasswordReach(space)
    if let shortest = reach.shortest(in: (minLength ?? 0)...(maxLength ?? .max)) { return shortest }
    if repeatingLimit == nil, sequentialLimit == nil {
      throw .unsatisfiable(
        "\(requirements.count) required classes do not fit in maxlength \(maxLength ?? 0)")
    }
    let most = maxLength.map { " and at most \($0)" } ?? ""
    throw .unsatisfiable(
      "the limits on runs leave none of at least \(minLength ?? 0)\(most) characters")
  }

  func space(reading: RequirementReading) throws(PasswordRulesError) -> PasswordSpace {
    guard let space = PasswordSpace(self, reading: reading) else {
      throw .tooComplex("The required classes overlap in too many ways")
    }
    return space
  }
}
