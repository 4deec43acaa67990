extension PasswordRuleSet {
  /// How a descriptor is read.
  public enum ParsingMode: Hashable, Sendable {
    /// What is not in the language is an error.
    case strict
    /// What is not in the language is dropped as the reference parser drops it, which may be all.
    case reference
  }

  /// Reads a descriptor such as `required: upper; minlength: 12;`.
  ///
  /// - Parameters:
  ///   - descriptor: The rules in the language of `UITextInputPasswordRules`.
  ///   - mode: What happens to what is not in the language.
  /// - Complexity: Linear in the length of the descriptor.
  /// - Throws: ``DescriptorSyntaxError`` in the mode `strict`.
  public init(
    _ descriptor: String, mode: ParsingMode = .strict
  ) throws(DescriptorSyntaxError) {
    switch mode {
    case .strict:
      self = try Self.parse(descriptor).rules
    case .reference:
      self.init(ReferenceParser.rules(in: descriptor).map(\.rule))
    }
  }

  /// Reads a descriptor, and says what in it does not mean what it seems to.
  ///
  /// - Complexity: Linear in the length of the descriptor.
  /// - Throws: ``DescriptorSyntaxError``.
  public static func parse(
    _ descriptor: String
  ) throws(DescriptorSyntaxError) -> (rules: PasswordRuleSet, warnings: [DescriptorIssue]) {
    try StrictParser.parse(descriptor)
  }
}

extension ReferenceParser.Rule {
  /// The rule, its number no larger than an integer can be.
  fileprivate var rule: PasswordRule {
    switch self {
    case .classes(.required, let classes): .required(classes)
    case .classes(_, let classes): .allowed(classes)
    case .number(let name, let value):
      switch name {
      case .minLength: .minLength(Self.clamped(value))
      case .maxLength: .maxLength(Self.clamped(value))
      case .maxRepeating: .maxRepeating(Self.clamped(value))
      case .maxSequential: .maxSequential(Self.clamped(value))
      default: .maxConsecutive(Self.clamped(value))
      }
    }
  }

  private static func clamped(_ value: Double) -> Int {
    // `Int(exactly:)` would need the C library's mathematics, which nothing here links.
    value < 0x1p63 ? Int(value) : .max
  }
}
