/// Makes passwords that satisfy a rule set, each as likely as any other.
///
/// ```swift
/// let generator = try PasswordGenerator("required: upper; required: digit; minlength: 16;")
/// let password = generator.password()
/// ```
///
/// Making the generator counts the passwords, which takes a moment; making a password of it is quick.
public struct PasswordGenerator: Sendable {
  /// The length of the passwords, in characters of ASCII.
  public let length: Int
  /// How many passwords there are to choose from.
  public let count: Natural

  private let rules: PasswordRuleSet
  private let reading: RequirementReading
  private let ranking: PasswordRanking
  /// Whether what the ranking gives may break the limits on runs.
  private let mayBreakRuns: Bool

  /// Prepares to make passwords of a length.
  ///
  /// - Parameters:
  ///   - rules: What the passwords satisfy. All of Unicode counts as printable ASCII.
  ///   - length: In characters; nil means ``PasswordRuleSet/defaultLength(reading:)``.
  ///   - reading: What several requirements mean together.
  /// - Complexity: Quadratic in the length.
  /// - Throws: ``PasswordRulesError/unsatisfiable(_:)`` when there is no such password, or
  ///   ``PasswordRulesError/tooComplex(_:)``.
  public init(
    _ rules: PasswordRuleSet, length: Int? = nil, reading: RequirementReading = .distinct
  ) throws(PasswordRulesError) {
    let length = if let length { length } else { try rules.defaultLength(reading: reading) }
    let count = try rules.count(length: length, reading: reading)
    if count.isZero {
      let shortest = try rules.shortestLength(reading: reading)
      throw .unsatisfiable("none has \(length) characters, and the shortest has \(shortest)")
    }
    self.rules = rules
    self.length = length
    self.count = count
    self.reading = reading
    let ranking = PasswordRanking(
      try rules.withoutRunLimits.space(reading: reading), length: length)
    // Where most passwords keep the limits on runs, it is quicker to throw the others away than to
    // tell all places in a run apart; and it is as even.
    var twice = count
    twice += count
    if rules.repeatingLimit == nil && rules.sequentialLimit == nil || twice >= ranking.count {
      mayBreakRuns = ranking.count != count
      self.ranking = ranking
    } else {
      mayBreakRuns = false
      self.ranking = PasswordRanking(try rules.space(reading: reading), length: length)
    }
  }

  /// How many bits a password of this generator has.
  public var entropy: Double { count.binaryLogarithm }

  /// Makes a password from the system's random numbers.
  public func password() -> String {
    var generator = SystemRandomNumberGenerator()
    return password(using: &generator)
  }

  /// Makes a password from random numbers, which must be unpredictable where it matters.
  public func password(using generator: inout some RandomNumberGenerator) -> String {
    while true {
      let scalars = ranking.password(.random(below: ranking.count, using: &generator))
      if !mayBreakRuns || rules.keepsRunLimits(scalars) {
        return String(String.UnicodeScalarView(scalars))
      }
    }
  }
}

extension PasswordRuleSet {
  /// The length that browsers choose: 20, or as near to it as the rules allow.
  ///
  /// - Throws: ``PasswordRulesError/unsatisfiable(_:)`` or ``PasswordRulesError/tooComplex(_:)``.
  public func defaultLength(
    reading: RequirementReading = .distinct
  ) throws(PasswordRulesError) -> Int {
    let shortest = try shortestLength(reading: reading)
    let usual = max(shortest, min(20, maxLength ?? 20))
    return try count(length: usual, reading: reading).isZero ? shortest : usual
  }

  fileprivate var withoutRunLimits: PasswordRuleSet {
    PasswordRuleSet(
      rules.filter { rule in
        switch rule {
        case .maxConsecutive, .maxRepeating, .maxSequential: false
        default: true
        }
      })
  }

  fileprivate func keepsRunLimits(_ scalars: [Unicode.Scalar]) -> Bool {
    var runs = RunCheck(self)
    for (position, scalar) in scalars.enumerated() { runs.read(scalar, at: position) }
    return runs.repeating.isEmpty && runs.sequential.isEmpty
  }
}
