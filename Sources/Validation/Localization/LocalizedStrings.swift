import PasswordRules

/// The strings of a language, and the words from which common strings are composed.
protocol LocalizedStrings: SendableMetatype {
  static var and: String { get }
  static var or: String { get }
  static var quotationMarks: (String, String) { get }
  /// The words before a position, after a quotation and on their own.
  static var position: (String, String) { get }
  // The names of invisible characters, in the form used in sentences.
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

extension LocalizedStrings {
  /// Returns the quantity in a limit or advice, or the text of a combined or custom message.
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
    case .onlyOf(let classes): list(classes.map { noun($0).plural }, and)
    case .remove(let characters): list(characters.map(name), and)
    case .minimum(let value), .maximum(let value): value
    case .shortenRun(let run, let text, let range, let limit):
      (text.map { quoted($0) + position.0 } ?? position.1)
        + " \(positions([range])): \(Self.text(of: .maximumRun(run, limit), in: language))"
    case .all(let messages): list(messages.map(language.text), and)
    case .either(let messages): list(messages.map(language.text), or)
    case .custom(let code, let parameters):
      parameters.isEmpty ? code : "\(code) (\(parameters.joined(separator: ", ")))"
    default: preconditionFailure("The text of this message depends on the language.")
    }
  }

  private static func noun(_ unit: LengthUnit) -> Noun { unit == .utf8 ? byte : character }

  /// Returns a list of words, such as "a, b or c".
  static func list(_ words: [String], _ conjunction: String) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }

  /// Returns the first three ranges, counted from one, such as "4–6, 9".
  static func positions(_ positions: [Range<Int>]) -> String {
    let shown = positions.prefix(3).map { range in
      let first = "\(range.lowerBound + 1)"
      return range.count > 1 ? "\(first)–\(range.upperBound)" : first
    }
    return shown.joined(separator: ", ") + (positions.count > 3 ? " …" : "")
  }

  static func name(_ character: String) -> String {
    switch character {
    case " ": space
    case "\t": tab
    case "\n", "\r", "\r\n": lineBreak
    default:
      character.unicodeScalars.map(\.properties)
        .allSatisfy { $0.isGraphemeBase && !$0.isWhitespace }
        ? quoted(character) : character.unicodeScalars.map(\.codePoint).joined(separator: " ")
    }
  }

  static func quoted(_ text: String) -> String { quotationMarks.0 + text + quotationMarks.1 }

  /// Returns the characters in ASCII order, with a name for the space.
  static func set(_ characters: PrintableCharacters, space: String) -> String {
    let visible = characters.subtracting(" ").description
    if !characters.contains(" ") { return visible }
    return visible.isEmpty ? space : "\(visible) (+ \(space))"
  }
}

/// The forms of a noun that are used with counts.
struct Noun: Sendable {
  /// The form for a count of one.
  private let one: String
  /// The form for a count that ends in 2 to 4, or nil if the language has no such form.
  private let few: String?
  /// The form for other counts.
  private let many: String
  /// The form for a limit that ends in 1, if the language has the form `few`.
  private let genitive: String
  /// The form without a count.
  let plural: String

  init(
    _ one: String, few: String? = nil, _ many: String, genitive: String? = nil,
    plural: String? = nil
  ) {
    (self.one, self.few, self.many) = (one, few, many)
    self.genitive = genitive ?? few ?? one
    self.plural = plural ?? many
  }

  /// Returns the form for a count, following the plural rules of Unicode CLDR.
  func form(_ count: Int) -> String {
    guard let few else { return count == 1 ? one : many }
    if Self.isSingular(count) { return one }
    return (2...4).contains(count % 10) && !(12...14).contains(count % 100) ? few : many
  }

  func form(limiting count: Int) -> String {
    few == nil ? form(count) : Self.isSingular(count) ? genitive : many
  }

  func counted(_ count: Int) -> String { "\(count) \(form(count))" }

  func limiting(_ count: Int) -> String { "\(count) \(form(limiting: count))" }

  /// Returns whether a count requires the singular in Russian.
  static func isSingular(_ count: Int) -> Bool { count % 10 == 1 && count % 100 != 11 }
}
