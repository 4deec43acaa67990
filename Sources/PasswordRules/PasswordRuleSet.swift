/// A set of rules for passwords: required and allowed characters, lengths, and limits on runs.
///
/// ```swift
/// let rules: PasswordRuleSet = [.required(.upper), .required(.lower, .digits), .minLength(20)]
/// let same = try PasswordRuleSet("required: upper; required: lower, digit; minlength: 20;")
/// ```
///
/// The language is that of `UITextInputPasswordRules` and the HTML attribute `passwordrules`.
/// Lengths are counted in Unicode code points. Two rule sets are equal if they have the same
/// requirements in the same order, the same allowed characters, and the same limits.
public struct PasswordRuleSet: Hashable, Sendable {
  /// The required alphabets, in declaration order; each duplicate requires another character.
  private(set) var requirements: [Alphabet] = []
  /// All allowed characters, including the required ones.
  private(set) var alphabet = Alphabet(listed: .all)
  /// The maximum number of equal or sequential characters in a row; nil for no limit.
  public private(set) var maxConsecutive: Int?
  /// The maximum number of equal characters in a row; nil for no limit.
  public private(set) var maxRepeating: Int?
  /// The maximum length of a run that ascends or descends in A–Z, a–z or 0–9, or nil.
  public private(set) var maxSequential: Int?
  /// The minimum number of characters; nil for no limit.
  public private(set) var minLength: Int?
  /// The maximum number of characters; nil for no limit.
  public private(set) var maxLength: Int?
  /// The checks of a valid password, created once instead of at each keystroke.
  private(set) var checks: [PasswordReport.Check] = []

  /// Creates a rule set with all requirements, all allowed characters, and the strictest limits.
  ///
  /// Required characters are also allowed. If the rules neither require nor allow any characters,
  /// ``CharacterClass/asciiPrintable`` is allowed. A limit below 1 and a requirement without
  /// characters have no effect.
  public init(_ rules: [PasswordRule]) { self.init(parsed: rules.map(ParsedRule.init)) }

  init(parsed rules: [ParsedRule]) {
    var allowed = ClassUnion()
    requirements.reserveCapacity(rules.count { $0.name == .required })
    for rule in rules {
      switch rule.name {
      case .required:
        let requirement = rule.union.alphabet
        if requirement.isEmpty { continue }
        requirements.append(requirement)
        allowed.formUnion(requirement)
      case .allowed: allowed.formUnion(rule.union)
      case .maxConsecutive: maxConsecutive.lower(to: rule.limit)
      case .maxRepeating: maxRepeating.lower(to: rule.limit)
      case .maxSequential: maxSequential.lower(to: rule.limit)
      case .maxLength: maxLength.lower(to: rule.limit)
      case .minLength: if rule.limit > 0 { minLength = max(rule.limit, minLength ?? rule.limit) }
      }
    }
    if !allowed.alphabet.isEmpty { alphabet = allowed.alphabet }
    // If the union ignored a requirement, only characters of the alphabet can meet it.
    for index in requirements.indices where !alphabet.isSuperset(of: requirements[index]) {
      requirements[index] = alphabet
    }
    addChecks()
  }

  private mutating func addChecks() {
    checks.reserveCapacity(requirements.count + 6)
    let allowedIsFirst = allowedIsFirst
    if allowedIsFirst { add(.allowed(alphabet.classes)) }
    for requirement in requirements { add(.required(requirement.classes)) }
    if !allowedIsFirst { add(.allowed(alphabet.classes)) }
    if let maxConsecutive { add(.maxConsecutive(maxConsecutive)) }
    if let maxRepeating { add(.maxRepeating(maxRepeating)) }
    if let maxSequential { add(.maxSequential(maxSequential)) }
    if let minLength { add(.minLength(minLength)) }
    if let maxLength { add(.maxLength(maxLength)) }
  }

  private mutating func add(_ rule: PasswordRule) {
    checks.append(PasswordReport.Check(rule: rule))
  }

  /// The rules in the order of the canonical form, without redundant rules.
  public var rules: [PasswordRule] {
    let implied =
      requirements.isEmpty
      ? Alphabet(listed: .all)
      : requirements.reduce(into: ClassUnion()) { $0.formUnion($1) }.alphabet
    return checks.map(\.rule).filter { alphabet != implied || $0.parts.name != .allowed }
  }

  /// Whether `allowed` comes first, because `unicode` must precede a required `ascii-printable`.
  var allowedIsFirst: Bool { alphabet.isUnicode && requirements.contains(Alphabet(listed: .all)) }

  /// Whether a character can meet several requirements.
  var hasOverlappingRequirements: Bool {
    var union = PrintableCharacters()
    for requirement in requirements {
      if !union.intersection(requirement.listed).isEmpty { return true }
      union = union.union(requirement.listed)
    }
    return false
  }

  /// The same rules with the meaning of `max-consecutive` before 2026: a limit on equal characters.
  public var withOlderMaxConsecutive: PasswordRuleSet {
    PasswordRuleSet(
      rules.map { rule in
        if case .maxConsecutive(let limit) = rule { .maxRepeating(limit) } else { rule }
      })
  }

  /// The classes of all allowed characters, including the required ones.
  public var allowedClasses: [CharacterClass] { alphabet.classes }

  /// Creates a rule set by combining several, such as those of a field and of the site.
  ///
  /// A character is allowed only if every rule set allows it. If several rule sets contain the same
  /// requirement, the result contains it as often as the rule set that repeats it most.
  ///
  /// - Throws: ``PasswordRulesError/unsatisfiable(_:)`` if no character is allowed by all rule
  ///   sets, or if one requires a class that another does not allow.
  public init(merging ruleSets: [PasswordRuleSet]) throws {
    guard var alphabet = ruleSets.first?.alphabet else {
      self.init([])
      return
    }
    for other in ruleSets.dropFirst() { alphabet = alphabet.intersection(other.alphabet) }
    if alphabet.isEmpty {
      throw PasswordRulesError.unsatisfiable("they have no character in common")
    }
    var requirements: [Alphabet] = []
    var most: [Alphabet: Int] = [:]
    for ruleSet in ruleSets {
      var counts: [Alphabet: Int] = [:]
      for requirement in ruleSet.requirements {
        let common = requirement.intersection(alphabet)
        if common.isEmpty {
          throw PasswordRulesError.unsatisfiable(
            "one requires \(requirement.classes.joinedNames), which another does not allow")
        }
        let count = counts[common, default: 0] + 1
        counts[common] = count
        if count > most[common, default: 0] {
          most[common] = count
          requirements.append(common)
        }
      }
    }
    self.init(
      ruleSets.flatMap { $0.rules.filter { $0.parts.limit != nil } } + [.allowed(alphabet.classes)]
        + requirements.map { .required($0.classes) })
  }
}

extension PasswordRuleSet: ExpressibleByArrayLiteral {
  /// Creates a rule set as ``init(_:)-([PasswordRule])`` does.
  public init(arrayLiteral rules: PasswordRule...) { self.init(rules) }
}

extension Int? {
  fileprivate mutating func lower(to limit: Int) {
    if limit > 0 { self = Swift.min(limit, self ?? limit) }
  }
}
