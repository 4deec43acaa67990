extension PasswordRuleSet {
  /// The version of the language in which a rule set is printed.
  public enum Dialect: Hashable, Sendable {
    /// The language since 2026, which includes `max-repeating` and `max-sequential`.
    case current
    /// The language that all parsers support.
    ///
    /// Older parsers ignore all rules if one name is unknown. Limits on runs are therefore printed
    /// as one `max-consecutive` with the lowest limit, which can reject passwords that this rule
    /// set accepts.
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

  /// Returns the rules in a dialect, as an escaped attribute of the HTML element `input`.
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
