/// What somebody may have meant by a name that the language does not have.
enum Suggestion {
  private static let classes: [String: String] = [
    "uppercase": "upper", "capital": "upper", "capitals": "upper", "lowercase": "lower",
    "number": "digit", "numbers": "digit", "numeric": "digit", "symbol": "special",
    "symbols": "special", "punctuation": "special", "ascii": "ascii-printable",
    "printable": "ascii-printable", "any": "unicode", "all": "unicode",
  ]

  static func rule(for written: String) -> String? {
    let folded = folded(written)
    return PasswordRule.Name.allCases.map(\.rawValue).first { Self.folded($0) == folded }
  }

  static func characterClass(for written: String) -> String? {
    let folded = folded(written)
    return classes[folded]
      ?? CharacterClass.names.map(\.name).first { name in
        Self.folded(name) == folded || Self.folded(name) + "s" == folded
      }
  }

  private static func folded(_ name: String) -> String {
    name.lowercased().filter { $0 != "-" }
  }
}
