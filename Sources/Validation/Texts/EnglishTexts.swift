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
    case .maximumRun(let run, let limit): limitText(run, limit)
    case .shortenRun(let run, let text, let place, let limit):
      "\(text.map { "“\($0)” at" } ?? "At") \(TextParts.place(place)): \(limitText(run, limit))"
    case .makeRoom: "No room is left for this: delete or replace something first"
    case .prefix(let text): "Begins with “\(text)”"
    case .suffix(let text): "Ends with “\(text)”"
    case .trimmed: "No white space at the beginning or end"
    case .singleLine: "A single line"
    case .email: "An email address"
    case .oneOf(let values):
      values.isEmpty ? "One of the choices" : "One of: \(values.joined(separator: ", "))"
    case .noneOf: "None that is taken or reserved"
    case .equal(let value): value.map { "“\($0)”" } ?? "The expected value"
    case .equalToOther: "The same again"
    case .notContainingOther: "Without the text of the other field"
    case .minimum(let value): "At least \(value)"
    case .maximum(let value): "At most \(value)"
    case .lessThan(let value): "Less than \(value)"
    case .moreThan(let value): "More than \(value)"
    case .multiple(let value): "A multiple of \(value)"
    case .finite: "A finite number"
    case .notBlocked: "Not on the list of common or compromised passwords"
    case .chooseAnother:
      "This password is on the list of those that attackers try first: "
        + "choose another, such as several words at random"
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
    "\(count) \(TextParts.list(classes.map { noun($0, count) }, "or"))"
  }

  private static func limitText(_ run: ValidationMessage.Run, _ limit: Int) -> String {
    let characters =
      switch run {
      case .repeating: "equal characters in a row"
      case .sequential: "neighbours such as abc or 321 in a row"
      case .consecutive: "equal or neighbouring characters in a row"
      }
    return limit == 1 ? "No \(characters)" : "At most \(limit) \(characters)"
  }

  private static func noun(_ characterClass: CharacterClass, _ count: Int) -> String {
    if case .custom = characterClass { return "of \(plural(characterClass))" }
    return count == 1 ? singular(characterClass) : plural(characterClass)
  }

  private static func singular(_ characterClass: CharacterClass) -> String {
    switch characterClass {
    case .upper: "capital letter A–Z"
    case .lower: "small letter a–z"
    case .digits: "digit"
    case .special: "symbol"
    case .asciiPrintable: "ASCII character"
    case .unicode: "character"
    case .custom: plural(characterClass)
    }
  }

  private static func plural(_ characterClass: CharacterClass) -> String {
    switch characterClass {
    case .upper: "capital letters A–Z"
    case .lower: "small letters a–z"
    case .digits: "digits"
    case .special: "symbols"
    case .asciiPrintable: "ASCII characters"
    case .unicode: "characters"
    case .custom(let characters): "the characters \(TextParts.set(characters, space: "space"))"
    }
  }

  private static func name(_ character: String) -> String {
    TextParts.name(
      character, space: "the space", tab: "the tab", lineBreak: "the line break",
      quoted: { "“\($0)”" })
  }
}
