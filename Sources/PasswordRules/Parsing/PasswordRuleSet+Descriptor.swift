// The text of a rule set: parsing, printing in a dialect, and the HTML attribute.
extension PasswordRuleSet {
  /// The treatment of syntax errors in a descriptor.
  public enum ParsingMode: Hashable, Sendable {
    /// A syntax error is thrown.
    case strict
    /// Invalid text, which can be the whole descriptor, is ignored as in the reference parser.
    case lenient
  }

  /// Parses a descriptor such as `required: digit; allowed: lower; minlength: 12;`.
  ///
  /// - Complexity: Linear in the length of the descriptor.
  /// - Throws: ``PasswordRulesError/syntax(_:)`` if the mode is ``ParsingMode/strict``.
  public init(_ descriptor: String, mode: ParsingMode = .strict) throws {
    switch mode {
    case .strict: self = try Self.parse(descriptor).rules
    case .lenient: self.init(parsed: DescriptorParser.parseLeniently(descriptor))
    }
  }

  /// Parses a descriptor and returns warnings about misleading parts.
  ///
  /// - Complexity: Linear in the length of the descriptor.
  /// - Throws: ``PasswordRulesError/syntax(_:)``.
  public static func parse(
    _ descriptor: String
  ) throws -> (rules: PasswordRuleSet, warnings: [DescriptorIssue]) {
    var parser = DescriptorParser(descriptor, isLenient: false)
    try parser.parseRules()
    parser.warnAboutRequiredClasses()
    let rules = PasswordRuleSet(parsed: parser.rules)
    parser.warnAboutForbiddenLetters(rules)
    return (rules, parser.inCodePoints(parser.warnings))
  }

  /// The version of the language in which a rule set is printed.
  public enum Dialect: Hashable, Sendable {
    /// The language since 2026, which includes `max-repeating` and `max-sequential`.
    case current
    /// The language that all parsers support.
    ///
    /// Older parsers ignore all rules if one name is unknown. All limits on runs therefore become
    /// one `max-consecutive` rule with the lowest limit, which can reject passwords that this rule
    /// set accepts.
    case compatible
  }

  /// The rules in the canonical form, which parses to an equal rule set.
  public var descriptor: String { descriptor(for: .current) }

  /// Returns the rules in the canonical form of a dialect.
  public func descriptor(for dialect: Dialect) -> String {
    if dialect == .current { return rules.map { "\($0);" }.joined(separator: " ") }
    let compatible = rules.map { rule in
      switch rule {
      case .maxRepeating(let limit), .maxSequential(let limit): PasswordRule.maxConsecutive(limit)
      default: rule
      }
    }
    return PasswordRuleSet(compatible).descriptor
  }

  /// The rules as an escaped attribute of the HTML element `input`.
  public var htmlAttribute: String { htmlAttribute(for: .current) }

  /// Returns the rules in a dialect, as an escaped attribute of `input`.
  public func htmlAttribute(for dialect: Dialect) -> String {
    let references: [Character: String] = [
      "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#x27;",
    ]
    let escaped = descriptor(for: dialect).map { references[$0] ?? String($0) }.joined()
    return "passwordrules=\"\(escaped)\""
  }
}

extension PasswordRuleSet: CustomStringConvertible {
  /// The rules in the canonical form.
  public var description: String { descriptor }
}
