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
  public init(_ rules: [PasswordRule]) {
    var allowed: [CharacterClass] = []
    var checked: [PasswordRule] = []
    for rule in rules {
      switch rule {
      case .required(let classes):
        let requirement = Alphabet(classes)
        if requirement.isEmpty { continue }
        let canonical = requirement.classes
        requirements.append(requirement)
        checked.append(.required(canonical))
        allowed += canonical
      case .allowed(let classes): allowed += classes
      case .maxConsecutive(let limit): maxConsecutive.lower(to: limit)
      case .maxRepeating(let limit): maxRepeating.lower(to: limit)
      case .maxSequential(let limit): maxSequential.lower(to: limit)
      case .maxLength(let limit): maxLength.lower(to: limit)
      case .minLength(let limit): if limit > 0 { minLength = max(limit, minLength ?? limit) }
      }
    }
    let union = Alphabet(allowed)
    if !union.isEmpty { alphabet = union }
    // If the union ignored a requirement, only characters of the alphabet can meet it.
    for index in requirements.indices where !alphabet.isSuperset(of: requirements[index]) {
      requirements[index] = alphabet
      checked[index] = .required(alphabet.classes)
    }
    checked.insert(.allowed(alphabet.classes), at: allowedIsFirst ? 0 : checked.endIndex)
    checked += [
      maxConsecutive.map(PasswordRule.maxConsecutive), maxRepeating.map(PasswordRule.maxRepeating),
      maxSequential.map(PasswordRule.maxSequential), minLength.map(PasswordRule.minLength),
      maxLength.map(PasswordRule.maxLength),
    ].compactMap(\.self)
    checks = checked.map { PasswordReport.Check(rule: $0) }
  }

  /// The rules in the order of the canonical form, without redundant rules.
  public var rules: [PasswordRule] {
    let implied =
      requirements.isEmpty
      ? Alphabet(listed: .all) : Alphabet(requirements.flatMap(\.classes))
    return checks.map(\.rule).filter { alphabet != implied || $0.parts.name != .allowed }
  }

  /// Whether `allowed` comes first, because `unicode` must precede a required `ascii-printable`.
  var allowedIsFirst: Bool { alphabet.isUnicode && requirements.contains(Alphabet(listed: .all)) }

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
