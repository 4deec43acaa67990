/// The suggestion of a known name in place of an unknown one.
enum NameSuggestion {
  private static let synonyms: [String: String] = [
    "uppercase": "upper", "capital": "upper", "capitals": "upper", "lowercase": "lower",
    "number": "digit", "numbers": "digit", "numeric": "digit", "symbol": "special",
    "symbols": "special", "punctuation": "special", "ascii": "ascii-printable",
    "printable": "ascii-printable", "any": "unicode", "all": "unicode",
  ]

  static func rule(for name: String) -> String? {
    let folded = folded(name)
    return PasswordRule.Name.allCases.map(\.rawValue).first { Self.folded($0) == folded }
  }

  static func characterClass(for name: String) -> String? {
    let folded = folded(name)
    return synonyms[folded]
      ?? CharacterClass.names.map(\.name).first { known in
        Self.folded(known) == folded || Self.folded(known) + "s" == folded
      }
  }

  private static func folded(_ name: String) -> String {
    name.lowercased().filter { $0 != "-" }
  }
}
