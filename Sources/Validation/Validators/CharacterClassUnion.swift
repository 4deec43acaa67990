import PasswordRules

/// The union of several character classes.
struct CharacterClassUnion: Sendable {
  /// The characters, or nil for all of Unicode.
  private let characters: PrintableCharacters?

  init(_ classes: [CharacterClass]) {
    characters = classes.reduce(PrintableCharacters()) { union, characterClass in
      guard let union, let characters = characterClass.characters else { return nil }
      return union.union(characters)
    }
  }

  /// Whether the union contains all Unicode characters.
  var containsAllOfUnicode: Bool { characters == nil }

  func contains(_ scalar: Unicode.Scalar) -> Bool { characters?.contains(scalar) ?? true }
}
