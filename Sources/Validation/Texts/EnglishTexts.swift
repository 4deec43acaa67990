import PasswordRules

extension ValidationLanguage {
  /// English.
  public static let english = ValidationLanguage(
    code: "en", message: EnglishTexts.text, status: { status, _ in EnglishTexts.text(of: status) })
}

enum EnglishTexts {
  static func text(of message: ValidationMessage, in language: ValidationLanguage) -> String {
    switch message {
    case .notEmpty: "Not empty"
    case .present: "A value"
    case .minimumCount(let count): "At least \(number(count, "element", "elements"))"
    case .maximumCount(let count): "At most \(number(count, "element", "elements"))"
    case .addElements(let count): "Add \(number(count, "element", "elements"))"
    case .removeElements(let count): "Remove \(number(count, "element", "elements"))"
    case .unique: "Nothing twice"
    case .each(let message): "Each one: \(language.text(of: message))"
    case .minimumLength(let count, let unit): "At least \(length(count, unit))"
    case .maximumLength(let count, let unit): "At most \(length(count, unit))"
    case .addCharacters(let count, let unit): "Add \(length(count, unit))"
    case .removeCharacters(let count, let unit): "Remove \(length(count, unit))"
    case .onlyOf(let classes):
      classes.contains(.unicode)
        ? "Any characters" : "Only \(TextParts.list(classes.map(plural), "and"))"
    case .minimumOf(let count, let classes): "At least \(number(count, of: classes))"
    case .addOf(let count, let classes): "Add \(number(count, of: classes))"
    case .remove(let characters):
      "Remove or replace \(TextParts.list(characters.map(name), "and"))"
    case .removeAt(let places): "Remove or replace what is at \(TextParts.places(places))"
    case .maximumRun(let run, let limit): "At most \(number(limit, of: run)) in a row"
    case .shortenRun(let run, let text, let place, let limit):
      "\(text.map { "“\($0)” at" } ?? "At") \(TextParts.place(place)): "
        + "at most \(number(limit, of: run)) in a row"
    case .makeRoom: "No room is left for this: delete or replace something first"
    case .prefix(let text): "Begins with “\(text)”"
    case .suffix(let text): "Ends with “\(text)”"
    case .trimmed: "No white space at the beginning or end"
    case .singleLine: "A single line"
    case .email: "An email address"
    case .oneOf(let values):
      values.isEmpty ? "One of the choices" : "One of: \(values.joined(separator: ", "))"
    case .noneOf: "One that is not taken or reserved"
    case .equal(let value): value.map { "“\($0)”" } ?? "The same value"
    case .equalToOther: "The same in both fields"
    case .notContainingOther: "Nothing in it that stands in the other field"
    case .minimum(let value): "At least \(value)"
    case .maximum(let value): "At most \(value)"
    case .lessThan(let value): "Less than \(value)"
    case .moreThan(let value): "More than \(value)"
    case .multiple(let value): "A multiple of \(value)"
    case .finite: "A finite number"
    case .notBlocked: "Not on the list of common or compromised passwords"
    case .chooseAnother:
      "This password is among the first that attackers try: choose another, such as several words at random"
    case .all(let messages): TextParts.list(messages.map(language.text), "and")
    case .either(let messages): TextParts.list(messages.map(language.text), "or")
    case .not(let message): "Not: \(language.text(of: message))"
    case .custom(let code, let parameters): TextParts.code(code, parameters)
    }
  }

  static func text(of status: ValidationStatus) -> String {
    switch status {
    case .check(.satisfied): "met"
    case .check(.notYet): "not met yet"
    case .check(.broken): "to be corrected"
    case .check(.waiting): "not checked yet"
    case .check(.pending), .report(.pending): "checking…"
    case .check(.unavailable(.timedOut)): "could not be checked: no answer in time"
    case .check(.unavailable(.failed)), .report(.undetermined): "could not be checked"
    case .report(.pristine): "nothing entered yet"
    case .report(.valid): "everything is right"
    case .report(.invalid): "not right yet"
    case .progress(let done, let all):
      "\(done) of \(number(all, "requirement", "requirements")) met"
    }
  }

  private static func number(_ count: Int, _ one: String, _ other: String) -> String {
    "\(count) \(count == 1 ? one : other)"
  }

  private static func length(_ count: Int, _ unit: LengthUnit) -> String {
    unit == .utf8 ? number(count, "byte", "bytes") : number(count, "character", "characters")
  }

  private static func number(_ count: Int, of classes: [CharacterClass]) -> String {
    "\(count) \(TextParts.list(classes.map(count == 1 ? singular : plural), "or"))"
  }

  private static func number(_ count: Int, of run: ValidationMessage.Run) -> String {
    switch run {
    case .repeating: number(count, "equal character", "equal characters")
    case .sequential:
      number(count, "neighbouring character", "neighbouring characters") + " (abc, 321)"
    case .consecutive:
      number(count, "equal or neighbouring character", "equal or neighbouring characters")
    }
  }

  private static func singular(_ characterClass: CharacterClass) -> String {
    switch characterClass {
    case .upper: "capital letter"
    case .lower: "small letter"
    case .digits: "digit"
    case .special: "symbol"
    case .asciiPrintable: "ASCII character"
    case .unicode: "character"
    case .custom(let characters): "of \(characters)"
    }
  }

  private static func plural(_ characterClass: CharacterClass) -> String {
    switch characterClass {
    case .upper: "capital letters"
    case .lower: "small letters"
    case .digits: "digits"
    case .special: "symbols"
    case .asciiPrintable: "ASCII characters"
    case .unicode: "characters"
    case .custom(let characters): "of \(characters)"
    }
  }

  private static func name(_ character: String) -> String {
    switch character {
    case " ": "the space"
    case "\t": "the tab"
    case "\n", "\r", "\r\n": "the line break"
    default: TextParts.visible(character).map { "“\($0)”" } ?? TextParts.codePoints(character)
    }
  }
}
