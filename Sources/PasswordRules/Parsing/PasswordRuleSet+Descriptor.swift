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
    case .lenient: self.init(DescriptorParser.parseLeniently(descriptor).map { $0.0 })
    }
  }

  /// Parses a descriptor and returns warnings about misleading parts.
  ///
  /// - Complexity: Linear in the length of the descriptor.
  /// - Throws: ``PasswordRulesError/syntax(_:)``.
  public static func parse(
    _ descriptor: String
  ) throws -> (rules: PasswordRuleSet, warnings: [DescriptorIssue]) {
    var parser = DescriptorParser(bytes: Array(descriptor.utf8), isLenient: false)
    try parser.parseRules()
    parser.warnAboutIneffectiveClasses()
    let rules = PasswordRuleSet(parser.rules.map(\.rule))
    parser.warnAboutForbiddenLetters(rules)
    return (rules, parser.inCodePoints(parser.warnings))
  }

  /// The version of the language in which a rule set is printed.
  public enum Dialect: Hashable, Sendable {
    /// The language since 2026, which includes `max-repeating` and `max-sequential`.
    case current
    /// The language that all parsers support.
    ///
    /// All limits on runs become one `max-consecutive` rule with the lowest limit, which can reject
    /// passwords that this rule set accepts, because older parsers ignore all rules if one name is
    /// unknown.
    case compatible
  }

  /// The rules in the canonical form, which parses to an equal rule set.
  public var descriptor: String { descriptor(for: .current) }

  /// Returns the rules in the canonical form of a dialect.
  public func descriptor(for dialect: Dialect) -> String {
    var rules = rules
    if dialect == .compatible {
      let limits = [maxConsecutive, maxRepeating, maxSequential].compactMap(\.self)
      rules.removeAll { [.maxConsecutive, .maxRepeating, .maxSequential].contains($0.parts.name) }
      if let limit = limits.min() {
        let index = rules.firstIndex { [.minLength, .maxLength].contains($0.parts.name) }
        rules.insert(.maxConsecutive(limit), at: index ?? rules.endIndex)
      }
    }
    return rules.map { "\($0);" }.joined(separator: " ")
  }

  /// The rules as an escaped attribute of the HTML element `input`.
  public var htmlAttribute: String { htmlAttribute(for: .current) }

  /// Returns the rules in a dialect, as an escaped attribute of `input`.
  public func htmlAttribute(for dialect: Dialect) -> String {
    let escaped = descriptor(for: dialect).unicodeScalars.map { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&#x27;"
      default: String(scalar)
      }
    }.joined()
    return "passwordrules=\"\(escaped)\""
  }
}

extension PasswordRuleSet: CustomStringConvertible {
  /// The rules in the canonical form.
  public var description: String { descriptor }
}
