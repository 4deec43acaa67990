import PasswordRules

/// What the texts of several languages are made of.
enum TextParts {
  /// Joins words as in "a, b or c".
  static func list(_ words: [String], _ conjunction: String) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }

  /// Ranges of code points as people count characters, "4–6, 9"; many are cut off.
  static func places(_ places: [Range<Int>]) -> String {
    let shown = places.prefix(3).map(place).joined(separator: ", ")
    return places.count > 3 ? "\(shown) …" : shown
  }

  static func place(_ place: Range<Int>) -> String {
    place.count > 1 ? "\(place.lowerBound + 1)–\(place.upperBound)" : "\(place.lowerBound + 1)"
  }

  /// What a code of the app looks like where nobody has words for it.
  static func code(_ code: String, _ parameters: [String]) -> String {
    parameters.isEmpty ? code : "\(code) (\(parameters.joined(separator: ", ")))"
  }

  /// A character that a sentence can show, or nil.
  static func visible(_ character: String) -> String? {
    let isVisible = character.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
        .paragraphSeparator, .spaceSeparator, .nonspacingMark, .enclosingMark, .spacingMark:
        false
      default: true
      }
    }
    return isVisible ? character : nil
  }

  /// The code points of a character that cannot be shown, "U+00A0".
  static func codePoints(_ character: String) -> String {
    character.unicodeScalars.map { scalar in
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }.joined(separator: " ")
  }

  /// A character as a sentence names it.
  static func name(
    _ character: String, space: String, tab: String, lineBreak: String,
    quoted: (String) -> String
  ) -> String {
    switch character {
    case " ": space
    case "\t": tab
    case "\n", "\r", "\r\n": lineBreak
    default: visible(character).map(quoted) ?? codePoints(character)
    }
  }

  /// Characters in the order of ASCII, and the space by its name.
  static func set(_ characters: PrintableCharacters, space: String) -> String {
    let visible = characters.subtracting(" ").description
    if !characters.contains(" ") { return visible }
    return visible.isEmpty ? space : "\(visible) (+ \(space))"
  }
}
