extension PasswordRuleSet {
  /// Returns the number of passwords of a length that satisfy the rules.
  ///
  /// An alphabet of all of Unicode counts as printable ASCII.
  ///
  /// - Parameters:
  ///   - length: The length in Unicode code points.
  ///   - reading: How several requirements combine.
  /// - Returns: The exact number; zero if the rules do not allow the length.
  /// - Complexity: Quadratic in the length.
  /// - Throws: ``PasswordRulesError/tooComplex(_:)`` for a length over 1024, if the required
  ///   classes overlap in too many ways, or if the limits on runs are too high.
  public func count(
    length: Int, reading: RequirementMatchingMode = .distinct
  ) throws -> Natural {
    var counter = PasswordCounter(self, reading: reading)
    return try counter.count(length: length)
  }

  /// Returns the entropy in bits of a uniformly chosen password of a length, or minus infinity if
  /// there is none.
  ///
  /// - Throws: The errors of ``count(length:reading:)``.
  public func entropy(
    length: Int, reading: RequirementMatchingMode = .distinct
  ) throws -> Double {
    try count(length: length, reading: reading).binaryLogarithm
  }

  /// Returns the length of the shortest valid password.
  ///
  /// - Throws: ``PasswordRulesError/unsatisfiable(_:)`` with the reason, or
  ///   ``PasswordRulesError/tooComplex(_:)``.
  public func shortestLength(
    reading: RequirementMatchingMode = .distinct
  ) throws -> Int {
    var counter = PasswordCounter(self, reading: reading)
    return try counter.shortestLength()
  }

  /// Returns the length that browsers choose: 20, or the nearest length that the rules allow.
  ///
  /// - Throws: ``PasswordRulesError/unsatisfiable(_:)`` or ``PasswordRulesError/tooComplex(_:)``.
  public func defaultLength(
    reading: RequirementMatchingMode = .distinct
  ) throws -> Int {
    var counter = PasswordCounter(self, reading: reading)
    return try counter.defaultLength()
  }

  /// Enough characters to avoid any three: the last one and its two neighbours.
  private static let ample = 4

  /// Whether the limits on runs can never exclude a needed character.
  var hasAmpleChoice: Bool {
    if runLimits.isEmpty { return !listedAlphabet.isEmpty }
    return alphabet.hasAtLeast(Self.ample)
      && requirements.allSatisfy { $0.hasAtLeast(Self.ample) }
  }

  /// The characters of passwords; for all of Unicode, printable ASCII.
  var listedAlphabet: PrintableCharacters {
    switch alphabet {
    case .printable(let characters): characters
    case .unicode: .all
    }
  }
}

/// A counter of the passwords of a rule set, which makes their automaton at most once.
struct PasswordCounter {
  private let rules: PasswordRuleSet
  private let reading: RequirementMatchingMode
  private var madeSpace: PasswordSpace?
  private var counts: [Int: Natural] = [:]

  /// The maximum length for which passwords are counted.
  private static let longestLength = 1024
  /// The limit on the numbers of all remaining lengths, which a ``PasswordRanking`` has in memory.
  private static let sizeLimit = 1 << 23

  init(_ rules: PasswordRuleSet, reading: RequirementMatchingMode) {
    self.rules = rules
    self.reading = reading
  }

  mutating func space() throws(PasswordRulesError) -> PasswordSpace {
    if let madeSpace { return madeSpace }
    guard let space = PasswordSpace(rules, reading: reading) else {
      throw .tooComplex("The required classes overlap in too many ways")
    }
    madeSpace = space
    return space
  }

  mutating func count(length: Int) throws(PasswordRulesError) -> Natural {
    if let count = counts[length] { return count }
    guard length >= 0, length >= rules.minLength ?? 0, length <= rules.maxLength ?? length else {
      return 0
    }
    if reading == .distinct, rules.requirements.count > length { return 0 }
    if length > Self.longestLength {
      throw .tooComplex("Passwords of \(length) characters are too long to be counted")
    }
    let space = try space().limited(toLength: length)
    if PasswordCounts.size(of: space) * length > Self.sizeLimit {
      throw .tooComplex("The rules have too many combinations for \(length) characters")
    }
    var completions = PasswordCounts(space)
    for _ in 0..<length { completions.extend(in: space) }
    counts[length] = completions.all[0]
    return completions.all[0]
  }

  mutating func shortestLength() throws(PasswordRulesError) -> Int {
    let (least, most) = (rules.minLength ?? 0, rules.maxLength ?? .max)
    let required = rules.requirements.count
    if least > most { throw .unsatisfiable("minlength \(least) is more than maxlength \(most)") }
    let isTooShort = PasswordRulesError.unsatisfiable(
      "\(required) required classes do not fit in maxlength \(most)")
    if reading == .distinct, required > most { throw isTooShort }
    if reading == .distinct, rules.hasAmpleChoice { return max(least, required) }
    var reach = ReachableStates(try space())
    if let shortest = try reach.shortest(in: least...most) { return shortest }
    if rules.runLimits.isEmpty { throw isTooShort }
    let upTo = rules.maxLength.map { " and at most \($0)" } ?? ""
    throw .unsatisfiable("the limits on runs leave none of at least \(least)\(upTo) characters")
  }

  mutating func defaultLength() throws(PasswordRulesError) -> Int {
    let shortest = try shortestLength()
    let usual = max(shortest, min(20, rules.maxLength ?? 20))
    return try count(length: usual).isZero ? shortest : usual
  }
}
