extension PasswordRuleSet {
  /// The parsers that a printed rule set is for.
  public enum Dialect: Hashable, Sendable {
    /// Parsers with `max-repeating` and `max-sequential`, part of the language since 2026.
    case current
    /// All parsers. Older ones drop every rule if one name is unknown, so both limits are printed
    /// as one `max-consecutive`, the stricter of them. The result may reject more than this rule
    /// set, but never less.
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
        let place = rules.firstIndex { [.minLength, .maxLength].contains($0.parts.name) }
        rules.insert(.maxConsecutive(limit), at: place ?? rules.endIndex)
      }
    }
    return rules.map { "\($0);" }.joined(separator: " ")
  }

  /// The rules as an escaped attribute of HTML's `input`.
  public var htmlAttribute: String { htmlAttribute(for: .current) }

  /// Returns the rules as an escaped attribute of HTML's `input`, in a dialect.
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

extension PasswordRule: CustomStringConvertible {
  /// The rule as the language writes it, without a semicolon.
  public var description: String {
    let (name, limit) = parts
    let value =
      switch self {
      case .required(let classes), .allowed(let classes):
        classes.map(\.name).joined(separator: ", ")
      default: limit.map(String.init) ?? ""
      }
    return "\(name.rawValue): \(value)"
  }
}

extension CharacterClass {
  /// The class as the language writes it.
  var name: String {
    guard case .custom(let characters) = self else {
      return Self.names.first { $0.characterClass == self }?.name ?? ""
    }
    // A hyphen is literal only as the first, and a bracket only as the last character.
    let text = characters.description
    let middle = text.filter { $0 != "-" && $0 != "]" }
    return "[\(text.contains("-") ? "-" : "")\(middle)\(text.contains("]") ? "]" : "")]"
  }
}
