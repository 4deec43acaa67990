// Counting the passwords that satisfy the rules, and determining their entropy and lengths.
extension PasswordRuleSet {
  /// Returns the exact number of passwords of a length, in code points, that satisfy the rules.
  ///
  /// If the rules allow all of Unicode, only passwords in printable ASCII are counted.
  ///
  /// - Complexity: Quadratic in the length.
  /// - Throws: ``PasswordRulesError/tooComplex(_:)`` for a length over 1024, if the required
  ///   classes overlap in too many ways, or if the limits on runs are too high.
  public func count(
    length: Int, matching mode: RequirementMatchingMode = .distinct
  ) throws -> Natural {
    var counter = PasswordCounter(rules: self, mode: mode)
    return try counter.count(length: length)
  }

  /// Returns the entropy, in bits, of a uniformly random password of a length, or minus infinity if
  /// no such password exists.
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
  public func shortestLength(matching mode: RequirementMatchingMode = .distinct) throws -> Int {
    try PasswordCounter(rules: self, mode: mode).shortestLength()
  }

  /// Returns the length that browsers choose: 20, or the nearest length with a password.
  ///
  /// - Throws: ``PasswordRulesError/unsatisfiable(_:)`` or ``PasswordRulesError/tooComplex(_:)``.
  public func defaultLength(matching mode: RequirementMatchingMode = .distinct) throws -> Int {
    var counter = PasswordCounter(rules: self, mode: mode)
    return try counter.defaultLength()
  }

  /// The number of characters of which one always continues no run: one more than the last
  /// character, its successor, and its predecessor.
  private static let ample = 4

  /// Whether the alphabet and each requirement always leave a character that continues no run.
  var hasAmpleChoice: Bool {
    runLimits.isEmpty
      || alphabet.listed.count >= Self.ample
        && requirements.allSatisfy { $0.listed.count >= Self.ample }
  }
}

/// A counter of the passwords that satisfy a rule set, which creates the automaton at most once.
struct PasswordCounter {
  let rules: PasswordRuleSet
  let mode: RequirementMatchingMode
  var rejectsOuterBlanks = false
  var cachedAutomaton: PasswordAutomaton?
  /// The numbers of passwords that have been counted, by length in characters.
  var counts: [Int: Natural] = [:]

  private static let longestLength = 1024
  /// The maximum number of values in the counts of all lengths, which a ranking stores.
  private static let sizeLimit = 1 << 23

  mutating func automaton() throws(PasswordRulesError) -> PasswordAutomaton {
    if let cachedAutomaton { return cachedAutomaton }
    let requirements = try RequirementAutomaton(
      rules.requirements, matching: mode, characters: Array(rules.alphabet.listed), limit: 100_000)
    let automaton = PasswordAutomaton(
      requirements, rules.runLimits, rejectsOuterBlanks: rejectsOuterBlanks)
    cachedAutomaton = automaton
    return automaton
  }

  mutating func count(length: Int) throws(PasswordRulesError) -> Natural {
    if let count = counts[length] { return count }
    guard length >= 0, length >= rules.minLength ?? 0, length <= rules.maxLength ?? length else {
      return 0
    }
    if mode == .distinct, rules.requirements.count > length { return 0 }
    if length > Self.longestLength {
      throw .tooComplex("Passwords of \(length) characters are too long to count")
    }
    let automaton = try automaton().limited(toLength: length)
    if PasswordCounts.size(of: automaton) * length > Self.sizeLimit {
      throw .tooComplex("The rules have too many combinations for \(length) characters")
    }
    var completions = PasswordCounts(automaton)
    for _ in 0..<length { completions.extend(in: automaton) }
    counts[length] = completions.passwords
    return completions.passwords
  }

  func shortestLength() throws(PasswordRulesError) -> Int {
    let (least, most) = (rules.minLength ?? 0, rules.maxLength ?? .max)
    let required = rules.requirements.count
    if least > most { throw .unsatisfiable("minlength \(least) is greater than maxlength \(most)") }
    let isTooShort = PasswordRulesError.unsatisfiable(
      "\(required) required classes do not fit in maxlength \(most)")
    if mode == .distinct, required > most { throw isTooShort }
    if mode == .distinct, rules.hasAmpleChoice { return max(least, required) }
    var search = try PasswordSearch(rules, matching: mode)
    if let shortest = try search.shortest(in: least...most) { return shortest.length }
    if rules.runLimits.isEmpty { throw isTooShort }
    let upTo = rules.maxLength.map { " and at most \($0)" } ?? ""
    throw .unsatisfiable(
      "the limits on runs exclude all passwords of at least \(least)\(upTo) characters")
  }

  mutating func defaultLength() throws(PasswordRulesError) -> Int {
    let shortest = try shortestLength()
    let preferred = max(shortest, min(20, rules.maxLength ?? 20))
    if try !count(length: preferred).isZero { return preferred }
    // One more character at each end hides outer blanks, so two more characters always suffice.
    for distance in 1...max(2, preferred) {
      for length in [preferred + distance, preferred - distance]
      where length >= max(1, shortest) && length <= preferred + 2 {
        if try !count(length: length).isZero { return length }
      }
    }
    throw .excluded("each one begins or ends with a blank")
  }
}
