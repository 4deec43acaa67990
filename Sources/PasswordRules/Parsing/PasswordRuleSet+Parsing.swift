extension PasswordRuleSet {
  /// The way in which a parser treats syntax errors in a descriptor.
  public enum ParsingMode: Hashable, Sendable {
    /// A syntax error is thrown.
    case strict
    /// Invalid text is ignored, in the same way as in the reference parser. This can affect the
    /// whole descriptor.
    case lenient
  }

  /// Parses a descriptor such as `required: upper; minlength: 12;`.
  ///
  /// - Parameters:
  ///   - descriptor: The rules in the language of `UITextInputPasswordRules`.
  ///   - mode: The way in which syntax errors are treated.
  /// - Complexity: Linear in the length of the descriptor.
  /// - Throws: ``DescriptorSyntaxError`` if the mode is ``ParsingMode/strict``.
  public init(_ descriptor: String, mode: ParsingMode = .strict) throws {
    switch mode {
    case .strict:
      self = try Self.parse(descriptor).rules
    case .lenient:
      self.init(LenientParser.rules(in: descriptor).map(\.rule))
    }
  }

  /// Parses a descriptor and returns warnings about misleading parts.
  ///
  /// - Complexity: Linear in the length of the descriptor.
  /// - Throws: ``DescriptorSyntaxError``.
  public static func parse(
    _ descriptor: String
  ) throws -> (rules: PasswordRuleSet, warnings: [DescriptorIssue]) {
    try StrictParser.parse(descriptor)
  }
}

extension LenientParser.Rule {
  /// The equivalent rule, with the number clamped to the range of `Int`.
  fileprivate var rule: PasswordRule {
    switch self {
    case .classes(.required, let classes): .required(classes)
    case .classes(_, let classes): .allowed(classes)
    // `Int(exactly:)` would need the C math library, which this module does not link.
    case .number(let name, let value): .limit(name, value < 0x1p63 ? Int(value) : .max)
    }
  }
}

/// An error that prevents the use of a rule set.
public enum PasswordRulesError: Error, Hashable, Sendable {
  /// No password satisfies the rules. The associated value is the reason.
  case unsatisfiable(String)
  /// There are too many combinations to count. The associated value is the reason.
  case tooComplex(String)
}

extension PasswordRulesError: CustomStringConvertible {
  /// The problem and the solution.
  public var description: String {
    switch self {
    case .unsatisfiable(let reason):
      "No password satisfies these rules: \(reason). Relax one of them, or choose another length."
    case .tooComplex(let reason): "\(reason). Use a shorter length, or fewer rules."
    }
  }
}
