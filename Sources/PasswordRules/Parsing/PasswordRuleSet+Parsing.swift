extension PasswordRuleSet {
  /// The treatment of syntax errors in a descriptor.
  public enum ParsingMode: Hashable, Sendable {
    /// Any syntax error is thrown.
    case strict
    /// Text that the reference parser would drop is dropped, which may be all of it.
    case reference
  }

  /// Parses a descriptor such as `required: upper; minlength: 12;`.
  ///
  /// - Parameters:
  ///   - descriptor: The rules in the language of `UITextInputPasswordRules`.
  ///   - mode: The treatment of syntax errors.
  /// - Complexity: Linear in the length of the descriptor.
  /// - Throws: ``DescriptorSyntaxError`` in the mode `strict`.
  public init(
    _ descriptor: String, mode: ParsingMode = .strict
  ) throws {
    switch mode {
    case .strict:
      self = try Self.parse(descriptor).rules
    case .reference:
      self.init(ReferenceParser.rules(in: descriptor).map(\.rule))
    }
  }

  /// Parses a descriptor and reports parts whose meaning differs from their appearance.
  ///
  /// - Complexity: Linear in the length of the descriptor.
  /// - Throws: ``DescriptorSyntaxError``.
  public static func parse(
    _ descriptor: String
  ) throws -> (rules: PasswordRuleSet, warnings: [DescriptorIssue]) {
    try StrictParser.parse(descriptor)
  }
}

extension ReferenceParser.Rule {
  /// The rule, with its number clamped to the range of `Int`.
  fileprivate var rule: PasswordRule {
    switch self {
    case .classes(.required, let classes): .required(classes)
    case .classes(_, let classes): .allowed(classes)
    // `Int(exactly:)` would need the C library's mathematics, which this module does not link.
    case .number(let name, let value): .limit(name, value < 0x1p63 ? Int(value) : .max)
    }
  }
}

/// A reason why a rule set cannot be used.
public enum PasswordRulesError: Error, Hashable, Sendable {
  /// No password satisfies the rules, for the reason given.
  case unsatisfiable(String)
  /// The length, the number of requirements or their overlaps are too large to count, for the
  /// reason given.
  case tooComplex(String)
}

extension PasswordRulesError: CustomStringConvertible {
  /// The problem and its solution.
  public var description: String {
    switch self {
    case .unsatisfiable(let reason):
      "No password satisfies these rules: \(reason). Loosen one of them, or choose another length."
    case .tooComplex(let what): "\(what). Use a shorter length, or fewer rules."
    }
  }
}
