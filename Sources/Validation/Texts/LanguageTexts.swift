import PasswordRules

/// The texts of a language, and the words from which shared texts are composed.
protocol LanguageTexts: SendableMetatype {
  static var and: String { get }
  static var or: String { get }
  static var quotationMarks: (String, String) { get }
  // The names of invisible characters, in the form that a sentence needs.
  static var space: String { get }
  static var tab: String { get }
  static var lineBreak: String { get }
  static var element: Noun { get }
  static var character: Noun { get }
  static var byte: Noun { get }
  static func noun(_ characterClass: CharacterClass) -> Noun

  static func text(of message: ValidationMessage, in language: ValidationLanguage) -> String
  static func text(of status: ValidationStatus) -> String
}

extension LanguageTexts {
  /// Returns the amount in a limit or an advice, or the text of a combined or custom message.
  ///
  /// - Precondition: The message is one of those kinds. The language itself has the text of any
  ///   other.
  static func shared(_ message: ValidationMessage, _ language: ValidationLanguage) -> String {
    switch message {
    case .minimumCount(let count), .maximumCount(let count): element.limiting(count)
    case .addElements(let count), .removeElements(let count): element.counted(count)
    case .minimumLength(let count, let unit), .maximumLength(let count, let unit):
      noun(unit).limiting(count)
    case .addCharacters(let count, let unit), .removeCharacters(let count, let unit):
      noun(unit).counted(count)
    case .minimumOf(let count, let classes):
      "\(count) \(list(classes.map { noun($0).form(limiting: count) }, or))"
    case .addOf(let count, let classes):
      "\(count) \(list(classes.map { noun($0).form(count) }, or))"
    case .minimum(let value), .maximum(let value): value
    case .all(let messages): list(messages.map(language.text), and)
    case .either(let messages): list(messages.map(language.text), or)
    case .custom(let code, let parameters):
      parameters.isEmpty ? code : "\(code) (\(parameters.joined(separator: ", ")))"
    default: preconditionFailure("The message has no text that languages share.")
    }
  }

  private static func noun(_ unit: LengthUnit) -> Noun { unit == .utf8 ? byte : character }

  /// Returns a list of words, such as "a, b or c".
  static func list(_ words: [String], _ conjunction: String) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }

  /// Returns a text with the first three ranges, counted from one, such as "4–6, 9".
  static func positions(_ positions: [Range<Int>]) -> String {
    let shown = positions.prefix(3).map(position).joined(separator: ", ")
    return positions.count > 3 ? "\(shown) …" : shown
  }

  static func position(_ position: Range<Int>) -> String {
    position.count > 1
      ? "\(position.lowerBound + 1)–\(position.upperBound)" : "\(position.lowerBound + 1)"
  }

  /// Returns whether a character is visible on its own.
  private static func isVisible(_ character: String) -> Bool {
    character.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
        .paragraphSeparator, .spaceSeparator, .nonspacingMark, .enclosingMark, .spacingMark:
        false
      default: true
      }
    }
  }

  /// Returns the code points of a character, such as "U+00A0".
  private static func codePoints(_ character: String) -> String {
    character.unicodeScalars.map { scalar in
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }.joined(separator: " ")
  }

  /// Returns the name of a character, the quoted character, or its code points.
  static func name(_ character: String) -> String {
    switch character {
    case " ": space
    case "\t": tab
    case "\n", "\r", "\r\n": lineBreak
    default: isVisible(character) ? quoted(character) : codePoints(character)
    }
  }

  static func quoted(_ text: String) -> String { quotationMarks.0 + text + quotationMarks.1 }

  /// Returns the characters in ASCII order, and a name for the space.
  static func set(_ characters: PrintableCharacters, space: String) -> String {
    let visible = characters.subtracting(" ").description
    if !characters.contains(" ") { return visible }
    return visible.isEmpty ? space : "\(visible) (+ \(space))"
  }
}
