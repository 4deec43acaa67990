/// A generator of uniformly random passwords that satisfy a rule set.
///
/// The passwords neither begin nor end with a blank, because many forms and clipboards remove it.
///
/// ```swift
/// let rules = try PasswordRuleSet("required: lower, upper; required: digit; minlength: 16;")
/// let generator = try PasswordGenerator(rules)
/// let password = generator.password()
/// ```
///
/// Creating the generator counts the passwords, which can take a noticeable time.
public struct PasswordGenerator: Sendable {
  /// The length of the passwords in characters.
  public let length: Int
  /// The number of passwords that the generator can make, which can be less than
  /// ``PasswordRuleSet/count(length:matching:)``.
  public let count: Natural

  private let ranking: PasswordRanking
  /// The limits on runs that the ranking ignores; passwords that violate them are rejected.
  private let ignoredLimits: RunLimits

  /// Creates a generator of passwords of a length in characters; nil stands for 20, or the nearest
  /// possible length.
  ///
  /// If the rules allow all of Unicode, the passwords consist of printable ASCII.
  ///
  /// - Complexity: Quadratic in the length.
  /// - Throws: ``PasswordRulesError/unsatisfiable(_:)`` if no such password exists,
  ///   ``PasswordRulesError/excluded(_:)`` if each one begins or ends with a blank, or
  ///   ``PasswordRulesError/tooComplex(_:)``.
  public init(
    _ rules: PasswordRuleSet, length: Int? = nil, matching mode: RequirementMatchingMode = .distinct
  ) throws {
    var counter = PasswordCounter(rules: rules, mode: mode, rejectsOuterBlanks: true)
    let length = if let length { length } else { try counter.defaultLength() }
    let count = try counter.count(length: length)
    if count.isZero {
      if try !rules.count(length: length, matching: mode).isZero {
        throw PasswordRulesError.excluded(
          "each one of \(length) characters begins or ends with a blank")
      }
      let shortest = try counter.shortestLength()
      throw PasswordRulesError.unsatisfiable(
        "none has \(length) characters, and the shortest has \(shortest)")
    }
    self.length = length
    self.count = count
    let automaton = try counter.automaton().limited(toLength: length)
    let ranking = PasswordRanking(automaton.limited(by: RunLimits()), length: length)
    // If at least half of the passwords satisfy the limits on runs, rejecting the others is faster
    // than tracking runs, and as uniform.
    var twice = count
    twice += count
    let rejects = automaton.limits.isEmpty || twice >= ranking.count
    ignoredLimits = rejects ? automaton.limits : RunLimits()
    self.ranking = rejects ? ranking : PasswordRanking(automaton, length: length)
  }

  /// The entropy of a generated password, in bits.
  public var entropy: Double { count.binaryLogarithm }

  /// Returns a password generated with the system's random number generator.
  public func password() -> String {
    var generator = SystemRandomNumberGenerator()
    return password(using: &generator)
  }

  /// Returns a password that is only as unpredictable as the numbers of the given generator.
  public func password(using generator: inout some RandomNumberGenerator) -> String {
    while true {
      let scalars = ranking.password(.random(below: ranking.count, using: &generator))
      if ignoredLimits.areSatisfied(by: scalars) {
        return String(String.UnicodeScalarView(scalars))
      }
    }
  }
}
