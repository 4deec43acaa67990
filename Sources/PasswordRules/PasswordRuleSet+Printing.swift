extension PasswordRuleSet {
  /// Which readers a printed rule set is for.
  public enum Dialect: Hashable, Sendable {
    /// Those that know `max-repeating` and `max-sequential`, which the language has since 2026.
    case current
    /// All. The older ones lose every rule when they meet a name that they do not know, so both limits
    /// are printed as one `max-consecutive`, the stricter of them: it may refuse more than this rule
    /// set, and never less.
    case compatible
  }

  /// The rules in the canonical form, which is read back as an equal rule set.
  public var descriptor: String { descriptor(for: .current) }

  /// The rules in the canonical form, for some readers.
  public func descriptor(for dialect: Dialect) -> String {
    var rules = rules
    if dialect == .compatible {
      let limits = [maxConsecutive, maxRepeating, maxSequential].compactMap(\.self)
      rules.removeAll { rule in
        switch rule {
        case .maxConsecutive, .maxRepeating, .maxSequential: true
        default: false
        }
      }
      if let limit = limits.min() {
        let place = rules.firstIndex { rule in
          switch rule {
          case .minLength, .maxLength: true
          default: false
          }
        }
        rules.insert(.maxConsecutive(limit), at: place ?? rules.endIndex)
      }
    }
    return rules.map { "\($0);" }.joined(separator: " ")
  }

  /// The rules as an attribute of HTML's `input`, escaped.
  public var htmlAttribute: String { htmlAttribute(for: .current) }

  /// The rules as an attribute of HTML's `input`, escaped, for some readers.
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
    switch self {
    case .required(let classes): "\(Name.required.rawValue): \(Self.text(of: classes))"
    case .allowed(let classes): "\(Name.allowed.rawValue): \(Self.text(of: classes))"
    case .maxConsecutive(let limit): "\(Name.maxConsecutive.rawValue): \(limit)"
    case .maxRepeating(let limit): "\(Name.maxRepeating.rawValue): \(limit)"
    case .maxSequential(let limit): "\(Name.maxSequential.rawValue): \(limit)"
    case .minLength(let limit): "\(Name.minLength.rawValue): \(limit)"
    case .maxLength(let limit): "\(Name.maxLength.rawValue): \(limit)"
    }
  }

  private static func text(of classes: [CharacterClass]) -> String {
    classes.map(\.name).joined(separator: ", ")
  }
}

extension CharacterClass {
  /// The class as the language writes it.
  var name: String {
    guard case .custom(let characters) = self else {
      return Self.names.first { $0.characterClass == self }?.name ?? ""
    }
    // A hyphen means itself only as the first, and a bracket only as the last character.
    let text = characters.description
    let middle = text.filter { $0 != "-" && $0 != "]" }
    return "[\(text.contains("-") ? "-" : "")\(middle)\(text.contains("]") ? "]" : "")]"
  }
}
