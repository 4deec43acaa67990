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

  /// Joins rules: everything that is required, all that is allowed, and the strictest of each limit.
  ///
  /// As everywhere in the language, a limit of zero says nothing, a required list without a character
  /// says nothing, and what is required may be used as well. Where neither is said, the alphabet is
  /// ``CharacterClass/asciiPrintable``.
  public init(_ rules: [PasswordRule]) {
    var allowed: [CharacterClass] = []
    for rule in rules {
      switch rule {
      case .required(let classes):
        let requirement = Alphabet(classes)
        if !requirement.isEmpty { requirements.append(requirement) }
        allowed += requirement.classes
      case .allowed(let classes): allowed += classes
      case .maxConsecutive(let limit): maxConsecutive.lower(to: limit)
      case .maxRepeating(let limit): maxRepeating.lower(to: limit)
      case .maxSequential(let limit): maxSequential.lower(to: limit)
      case .maxLength(let limit): maxLength.lower(to: limit)
      case .minLength(let limit): if limit > 0 { minLength = max(limit, minLength ?? limit) }
      }
    }
    let joined = Alphabet(allowed)
    if !joined.isEmpty { alphabet = joined }
    // What is required of all of Unicode can be met by the alphabet alone.
    requirements = requirements.map { alphabet.isSuperset(of: $0) ? $0 : alphabet }
  }

  /// The rules in the order of the canonical form, with nothing in them that goes without saying.
  public var rules: [PasswordRule] {
    var rules = requirements.map { PasswordRule.required($0.classes) }
    if alphabet != Alphabet(requirements.flatMap(\.classes)),
      !requirements.isEmpty || alphabet != .printable(.all)
    {
      // Of these two, the one that comes first counts.
      let isFirst = alphabet == .unicode && requirements.contains(.printable(.all))
      rules.insert(.allowed(alphabet.classes), at: isFirst ? 0 : rules.endIndex)
    }
    if let maxConsecutive { rules.append(.maxConsecutive(maxConsecutive)) }
    if let maxRepeating { rules.append(.maxRepeating(maxRepeating)) }
    if let maxSequential { rules.append(.maxSequential(maxSequential)) }
    if let minLength { rules.append(.minLength(minLength)) }
    if let maxLength { rules.append(.maxLength(maxLength)) }
    return rules
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
}
