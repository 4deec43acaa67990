import PasswordRules

enum EnglishStrings: LocalizedStrings {
  static let (and, or) = ("and", "or")
  static let quotationMarks = ("“", "”")
  static let position = (" at", "At")
  static let (space, tab, lineBreak) = ("the space", "the tab", "the line break")
  static let element = Noun("element", "elements")
  static let character = Noun("character", "characters")
  static let byte = Noun("byte", "bytes")

  static func text(of message: ValidationMessage, in language: ValidationLanguage) -> String {
    switch message {
    case .notEmpty: "Not empty"
    case .present: "A value"
    case .minimumCount, .minimumLength, .minimumOf, .minimum:
      "At least \(shared(message, language))"
    case .maximumCount, .maximumLength, .maximum: "At most \(shared(message, language))"
    case .addElements, .addCharacters, .addOf: "Add \(shared(message, language))"
    case .removeElements, .removeCharacters: "Remove \(shared(message, language))"
    case .unique: "No duplicates"
    case .each(let message): "Each element: \(language.text(of: message))"
    case .onlyOf(let classes) where classes.contains(.unicode): "Any characters"
    case .onlyOf: "Only \(shared(message, language))"
    case .remove: "Remove or replace \(shared(message, language))"
    case .removeAt(let positions): "Remove or replace the text at \(Self.positions(positions))"
    case .maximumRun(.repeating, let limit): "\(most(limit)) equal characters in a row"
    case .maximumRun(.sequential, let limit):
      "\(most(limit)) sequential characters in a row, such as abc or 321"
    case .maximumRun(.consecutive, let limit):
      "\(most(limit)) equal or sequential characters in a row"
    case .replaceCharacters: "No room is left for this: delete or replace something first"
    case .prefix(let text): "Begins with \(quoted(text))"
    case .suffix(let text): "Ends with \(quoted(text))"
    case .trimmed: "No white space at the beginning or end"
    case .singleLine: "A single line"
    case .email: "An email address"
    case .oneOf([]): "One of the choices"
    case .oneOf(let values): "One of: \(values.joined(separator: ", "))"
    case .noneOf: "Not taken or reserved"
    case .equal(let value): value.map(quoted) ?? "The expected value"
    case .equalToOther: "Must match the other field"
    case .notContainingOther: "Must not contain the text of the other field"
    case .lessThan(let value): "Less than \(value)"
    case .greaterThan(let value): "More than \(value)"
    case .multiple(let value): "A multiple of \(value)"
    case .finite: "A finite number"
    case .notBlocked: "Not on the list of common or compromised passwords"
    case .chooseAnother:
      "This password is one of the first that attackers try: "
        + "choose another, such as several random words"
    case .not(let message): "Not: \(language.text(of: message))"
    case .shortenRun, .all, .either, .custom: shared(message, language)
    }
  }

  private static func most(_ limit: Int) -> String { limit == 1 ? "No" : "At most \(limit)" }

  static func text(of status: ValidationStatus) -> String {
    switch status {
    case .check(.satisfied): "met"
    case .check(.incomplete): "not met yet"
    case .check(.violated): "to be corrected"
    case .check(.waiting): "not checked yet"
    case .check(.pending), .report(.pending): "checking…"
    case .check(.unavailable(.timedOut)): "could not be checked: no answer in time"
    case .check(.unavailable(.failed)), .report(.undetermined): "could not be checked"
    case .report(.pristine): "nothing entered yet"
    case .report(.valid): "valid"
    case .report(.invalid): "not valid yet"
    case .progress(let done, let all):
      "\(done) of \(Noun("requirement", "requirements").counted(all)) met"
    }
  }

  static func noun(_ characterClass: CharacterClass) -> Noun {
    switch characterClass {
    case .upper: return Noun("uppercase letter A–Z", "uppercase letters A–Z")
    case .lower: return Noun("lowercase letter a–z", "lowercase letters a–z")
    case .digits: return Noun("digit", "digits")
    case .special: return Noun("symbol", "symbols")
    case .asciiPrintable: return Noun("ASCII character", "ASCII characters")
    case .unicode: return character
    case .custom(let characters):
      let list = "the characters \(set(characters, space: "space"))"
      return Noun("of \(list)", "of \(list)", plural: list)
    }
  }
}
