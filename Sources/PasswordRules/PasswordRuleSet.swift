/// The rules for a password: allowed and required characters, length, and limits on runs.
///
/// ```swift
/// let rules: PasswordRuleSet = [.required(.upper), .required(.lower, .digits), .minLength(20)]
/// let same = try PasswordRuleSet("required: upper; required: lower, digit; minlength: 20;")
/// ```
///
/// The language is that of `UITextInputPasswordRules` and HTML's `passwordrules` attribute. Lengths
/// count Unicode code points.
public struct PasswordRuleSet: Hashable, Sendable {
  /// The requirements in declaration order; a duplicate needs a second character.
  private(set) var requirements: [Alphabet] = []
  /// All allowed characters, including the required ones.
  private(set) var alphabet = Alphabet.printable(.all)
  /// The maximum number of equal or neighbouring characters in a row (older name of both limits).
  public private(set) var maxConsecutive: Int?
  /// The maximum number of equal characters in a row.
  public private(set) var maxRepeating: Int?
  /// The maximum number of neighbours in A–Z, a–z or 0–9 in a row, ascending or descending.
  public private(set) var maxSequential: Int?
  /// The minimum number of characters.
  public private(set) var minLength: Int?
  /// The maximum number of characters.
  public private(set) var maxLength: Int?
  /// The checks of a satisfying password, created once instead of at each keystroke.
  private(set) var checks: [PasswordReport.Check] = []

  /// Joins rules: all requirements, all allowed characters, and the strictest of each limit.
  ///
  /// As everywhere in the language, a limit of zero and a required list without characters have no
  /// effect, and required characters are also allowed. If neither is given, the alphabet is
  /// ``CharacterClass/asciiPrintable``.
  public init(_ rules: [PasswordRule]) {
    var allowed = AlphabetUnion()
    for rule in rules {
      switch rule {
      case .required(let classes):
        let requirement = Alphabet(classes)
        if !requirement.isEmpty { requirements.append(requirement) }
        allowed.add(requirement)
      case .allowed(let classes): for characterClass in classes { allowed.add(characterClass) }
      case .maxConsecutive(let limit): maxConsecutive.lower(to: limit)
      case .maxRepeating(let limit): maxRepeating.lower(to: limit)
      case .maxSequential(let limit): maxSequential.lower(to: limit)
      case .maxLength(let limit): maxLength.lower(to: limit)
      case .minLength(let limit): if limit > 0 { minLength = max(limit, minLength ?? limit) }
      }
    }
    if !allowed.alphabet.isEmpty { alphabet = allowed.alphabet }
    // A requirement of any Unicode character can be met only from the alphabet.
    for index in requirements.indices where !alphabet.isSuperset(of: requirements[index]) {
      requirements[index] = alphabet
    }
    checks = makeChecks()
  }

  /// The rules in the order of the canonical form, without redundant ones.
  public var rules: [PasswordRule] {
    checks.compactMap { check in
      if case .allowed = check.rule, !saysWhatIsAllowed { nil } else { check.rule }
    }
  }

  /// Whether the requirements do not imply the alphabet.
  private var saysWhatIsAllowed: Bool {
    if requirements.isEmpty { return alphabet != .printable(.all) }
    var required = AlphabetUnion()
    for requirement in requirements { required.add(requirement) }
    return alphabet != required.alphabet
  }

  /// Whether `allowed` comes first: of `unicode` and `ascii-printable`, the first one counts.
  private var allowedIsFirst: Bool {
    alphabet == .unicode && requirements.contains(.printable(.all))
  }

  /// The index of the first requirement among the checks.
  var firstRequired: Int { allowedIsFirst ? 1 : 0 }

  private func makeChecks() -> [PasswordReport.Check] {
    var checks: [PasswordReport.Check] = []
    checks.reserveCapacity(requirements.count + 6)
    for requirement in requirements { checks.append(.init(.required(requirement.classes))) }
    checks.insert(
      .init(.allowed(alphabet.classes)), at: allowedIsFirst ? 0 : checks.endIndex)
    if let maxConsecutive { checks.append(.init(.maxConsecutive(maxConsecutive))) }
    if let maxRepeating { checks.append(.init(.maxRepeating(maxRepeating))) }
    if let maxSequential { checks.append(.init(.maxSequential(maxSequential))) }
    if let minLength { checks.append(.init(.minLength(minLength))) }
    if let maxLength { checks.append(.init(.maxLength(maxLength))) }
    return checks
  }

  /// The same rules with `max-consecutive` as parsers before 2026 read it: a limit on equal
  /// characters alone, which is ``PasswordRule/maxRepeating(_:)``.
  ///
  /// Checks, generated passwords and comparisons of the result all have this meaning.
  public var withOlderMaxConsecutive: PasswordRuleSet {
    PasswordRuleSet(
      rules.map { rule in
        if case .maxConsecutive(let limit) = rule { .maxRepeating(limit) } else { rule }
      })
  }

  /// The allowed characters, including the required ones, as the fewest classes.
  public var allowedClasses: [CharacterClass] { alphabet.classes }
}

extension PasswordRuleSet {
  private var limits: [Int?] {
    [maxConsecutive, maxRepeating, maxSequential, minLength, maxLength]
  }

  /// Returns whether two rule sets have equal requirements, in the same order, characters and
  /// limits.
  public static func == (one: Self, other: Self) -> Bool {
    one.requirements == other.requirements && one.alphabet == other.alphabet
      && one.limits == other.limits
  }

  /// Hashes the requirements, the allowed characters and the limits.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(requirements)
    hasher.combine(alphabet)
    hasher.combine(limits)
  }
}

extension PasswordRuleSet: ExpressibleByArrayLiteral {
  /// Joins rules, as ``init(_:)-([PasswordRule])`` does.
  public init(arrayLiteral rules: PasswordRule...) {
    self.init(rules)
  }
}

extension Int? {
  fileprivate mutating func lower(to limit: Int) {
    if limit > 0 { self = Swift.min(limit, self ?? limit) }
  }

  /// Returns the lower of two limits; nil means no limit.
  func lowered(to other: Int?) -> Int? {
    guard let self, let other else { return self ?? other }
    return Swift.min(self, other)
  }
}
