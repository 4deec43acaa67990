/// What a password must be like: which characters it may and must have, how many, and in what runs.
///
/// ```swift
/// let rules: PasswordRuleSet = [.required(.upper), .required(.lower, .digits), .minLength(20)]
/// let same = try PasswordRuleSet("required: upper; required: lower, digit; minlength: 20;")
/// ```
///
/// It is what `UITextInputPasswordRules` and HTML's `passwordrules` attribute say. Lengths count Unicode
/// code points.
public struct PasswordRuleSet: Hashable, Sendable {
  /// What is required, in the order in which it was said; one that is there twice needs two characters.
  private(set) var requirements: [Alphabet] = []
  /// All characters that may be used, the required ones included.
  private(set) var alphabet = Alphabet.printable(.all)
  /// At most as many equal or neighbouring characters in a row, by the older name for both limits.
  public private(set) var maxConsecutive: Int?
  /// At most as many equal characters in a row.
  public private(set) var maxRepeating: Int?
  /// At most as many characters in a row that are neighbours in A–Z, a–z or 0–9, upwards or downwards.
  public private(set) var maxSequential: Int?
  /// At least as many characters.
  public private(set) var minLength: Int?
  /// At most as many characters.
  public private(set) var maxLength: Int?
  /// The checks of a password that satisfies every rule, made once and not at each keystroke.
  private(set) var checks: [PasswordReport.Check] = []

  /// Joins rules: everything that is required, all that is allowed, and the strictest of each limit.
  ///
  /// As everywhere in the language, a limit of zero says nothing, a required list without a character
  /// says nothing, and what is required may be used as well. Where neither is said, the alphabet is
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
    // What is required of all of Unicode can be met by the alphabet alone.
    for index in requirements.indices where !alphabet.isSuperset(of: requirements[index]) {
      requirements[index] = alphabet
    }
    checks = makeChecks()
  }

  /// The rules in the order of the canonical form, with nothing in them that goes without saying.
  public var rules: [PasswordRule] {
    checks.compactMap { check in
      if case .allowed = check.rule, !saysWhatIsAllowed { nil } else { check.rule }
    }
  }

  /// Whether the alphabet does not follow from what is required.
  private var saysWhatIsAllowed: Bool {
    if requirements.isEmpty { return alphabet != .printable(.all) }
    var required = AlphabetUnion()
    for requirement in requirements { required.add(requirement) }
    return alphabet != required.alphabet
  }

  /// Of all of Unicode and all of ASCII, the one that comes first counts.
  private var allowedIsFirst: Bool {
    alphabet == .unicode && requirements.contains(.printable(.all))
  }

  /// The place of the first requirement among the checks.
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

  /// The characters that may be used, required ones included, as the fewest classes.
  public var allowedClasses: [CharacterClass] { alphabet.classes }
}

extension PasswordRuleSet: ExpressibleByArrayLiteral {
  /// Joins rules as ``init(_:)-([PasswordRule])`` does.
  public init(arrayLiteral rules: PasswordRule...) {
    self.init(rules)
  }
}

extension Int? {
  fileprivate mutating func lower(to limit: Int) {
    if limit > 0 { self = Swift.min(limit, self ?? limit) }
  }

  /// The lower of two limits, of which nil is none.
  func lowered(to other: Int?) -> Int? {
    guard let self, let other else { return self ?? other }
    return Swift.min(self, other)
  }
}
