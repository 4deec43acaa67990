/// A generator of uniformly random passwords that satisfy a rule set.
///
/// ```swift
/// let generator = try PasswordGenerator("required: upper; required: digit; minlength: 16;")
/// let password = generator.password()
/// ```
///
/// Creating the generator counts the passwords, which takes a moment; generating one is fast.
public struct PasswordGenerator: Sendable {
  /// The length of the passwords, in ASCII characters.
  public let length: Int
  /// The number of possible passwords.
  public let count: Natural

  private let ranking: PasswordRanking
  /// The limits on runs that passwords of the ranking may break.
  private let brokenLimits: RunLimits

  /// Prepares to generate passwords of a length.
  ///
  /// - Parameters:
  ///   - rules: The rules for the passwords. All of Unicode counts as printable ASCII.
  ///   - length: The length in characters; nil means ``PasswordRuleSet/defaultLength(reading:)``.
  ///   - reading: How several requirements combine.
  /// - Complexity: Quadratic in the length.
  /// - Throws: ``PasswordRulesError/unsatisfiable(_:)`` if no such password exists, or
  ///   ``PasswordRulesError/tooComplex(_:)``.
  public init(
    _ rules: PasswordRuleSet, length: Int? = nil, reading: RequirementMatchingMode = .distinct
  ) throws {
    var counter = PasswordCounter(rules, reading: reading)
    let length = if let length { length } else { try counter.defaultLength() }
    let count = try counter.count(length: length)
    if count.isZero {
      let shortest = try counter.shortestLength()
      throw PasswordRulesError.unsatisfiable(
        "none has \(length) characters, and the shortest has \(shortest)")
    }
    self.length = length
    self.count = count
    let space = try counter.space().limited(toLength: length)
    let ranking = PasswordRanking(space.withoutRunLimits, length: length)
    // If most passwords keep the limits on runs, rejecting the others is faster than tracking all
    // run states, and equally uniform.
    var twice = count
    twice += count
    let rejects = space.limits.isEmpty || twice >= ranking.count
    brokenLimits = rejects ? space.limits : RunLimits()
    self.ranking = rejects ? ranking : PasswordRanking(space, length: length)
  }

  /// The entropy of a generated password, in bits.
  public var entropy: Double { count.binaryLogarithm }

  /// Generates a password from the system's random numbers.
  public func password() -> String {
    var generator = SystemRandomNumberGenerator()
    return password(using: &generator)
  }

  /// Generates a password from random numbers, which must be unpredictable for real use.
  public func password(using generator: inout some RandomNumberGenerator) -> String {
    while true {
      let scalars = ranking.password(.random(below: ranking.count, using: &generator))
      if brokenLimits.areKept(by: scalars) { return String(String.UnicodeScalarView(scalars)) }
    }
  }
}
