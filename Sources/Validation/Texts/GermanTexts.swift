import PasswordRules

extension ValidationLanguage {
  /// German.
  public static let german = ValidationLanguage(
    code: "de", message: GermanTexts.text, status: { status, _ in GermanTexts.text(of: status) })
}

enum GermanTexts {
  static func text(of message: ValidationMessage, in language: ValidationLanguage) -> String {
    switch message {
    case .notEmpty: "Nicht leer"
    case .present: "Ein Wert"
    case .minimumCount(let count): "Mindestens \(number(count, "Element", "Elemente"))"
    case .maximumCount(let count): "Höchstens \(number(count, "Element", "Elemente"))"
    case .addElements(let count): "Noch \(number(count, "Element", "Elemente"))"
    case .removeElements(let count): "\(number(count, "Element", "Elemente")) entfernen"
    case .unique: "Nichts doppelt"
    case .each(let message): "Jedes Element: \(language.text(of: message))"
    case .minimumLength(let count, let unit): "Mindestens \(length(count, unit))"
    case .maximumLength(let count, let unit): "Höchstens \(length(count, unit))"
    case .addCharacters(let count, let unit): "Noch \(length(count, unit))"
    case .removeCharacters(let count, let unit): "\(length(count, unit)) entfernen"
    case .onlyOf(let classes):
      classes.contains(.unicode)
        ? "Beliebige Zeichen" : "Nur \(TextParts.list(classes.map(plural), "und"))"
    case .minimumOf(let count, let classes): "Mindestens \(number(count, of: classes))"
    case .addOf(let count, let classes): "Noch \(number(count, of: classes))"
    case .remove(let characters):
      "\(TextParts.list(characters.map(name), "und")) entfernen oder ersetzen"
    case .removeAt(let places): "Stelle \(TextParts.places(places)): entfernen oder ersetzen"
    case .maximumRun(let run, let limit): limitText(run, limit)
    case .shortenRun(let run, let text, let place, let limit):
      "\(text.map { "„\($0)“ an" } ?? "An") Stelle \(TextParts.place(place)): \(limitText(run, limit))"
    case .makeRoom: "Dafür ist kein Platz mehr: zuerst etwas löschen oder ersetzen"
    case .prefix(let text): "Beginnt mit „\(text)“"
    case .suffix(let text): "Endet mit „\(text)“"
    case .trimmed: "Keine Leerzeichen am Anfang oder Ende"
    case .singleLine: "Eine einzige Zeile"
    case .email: "Eine E-Mail-Adresse"
    case .oneOf(let values):
      values.isEmpty ? "Eine der Möglichkeiten" : "Eines von: \(values.joined(separator: ", "))"
    case .noneOf: "Nichts Vergebenes oder Reserviertes"
    case .equal(let value): value.map { "„\($0)“" } ?? "Der erwartete Wert"
    case .equalToOther: "Noch einmal dasselbe"
    case .notContainingOther: "Ohne den Text des anderen Feldes"
    case .minimum(let value): "Mindestens \(value)"
    case .maximum(let value): "Höchstens \(value)"
    case .lessThan(let value): "Weniger als \(value)"
    case .moreThan(let value): "Mehr als \(value)"
    case .multiple(let value): "Ein Vielfaches von \(value)"
    case .finite: "Eine endliche Zahl"
    case .notBlocked: "Nicht auf der Liste verbreiteter oder bekannt gewordener Passwörter"
    case .chooseAnother:
      "Dieses Passwort steht auf der Liste derer, die Angreifer zuerst versuchen: "
        + "ein anderes wählen, etwa mehrere zufällige Wörter"
    case .all(let messages): TextParts.list(messages.map(language.text), "und")
    case .either(let messages): TextParts.list(messages.map(language.text), "oder")
    case .not(let message): "Nicht: \(language.text(of: message))"
    case .custom(let code, let parameters): TextParts.code(code, parameters)
    }
  }

  static func text(of status: ValidationStatus) -> String {
    switch status {
    case .check(.satisfied): "erfüllt"
    case .check(.notYet): "noch nicht erfüllt"
    case .check(.broken): "zu korrigieren"
    case .check(.waiting): "noch nicht geprüft"
    case .check(.pending), .report(.pending): "wird geprüft …"
    case .check(.unavailable(.timedOut)): "konnte nicht geprüft werden: keine rechtzeitige Antwort"
    case .check(.unavailable(.failed)), .report(.undetermined): "konnte nicht geprüft werden"
    case .report(.pristine): "noch nichts eingegeben"
    case .report(.valid): "alles in Ordnung"
    case .report(.invalid): "noch nicht in Ordnung"
    case .progress(let done, let all):
      "\(done) von \(number(all, "Anforderung", "Anforderungen")) erfüllt"
    }
  }

  private static func number(_ count: Int, _ one: String, _ other: String) -> String {
    "\(count) \(count == 1 ? one : other)"
  }

  private static func length(_ count: Int, _ unit: LengthUnit) -> String {
    unit == .utf8 ? number(count, "Byte", "Bytes") : number(count, "Zeichen", "Zeichen")
  }

  private static func number(_ count: Int, of classes: [CharacterClass]) -> String {
    "\(count) \(TextParts.list(classes.map { noun($0, count) }, "oder"))"
  }

  private static func limitText(_ run: ValidationMessage.Run, _ limit: Int) -> String {
    let characters =
      switch run {
      case .repeating: limit == 1 ? "gleichen Zeichen" : "gleiche Zeichen"
      case .sequential: "Nachbarn wie abc oder 321"
      case .consecutive:
        limit == 1 ? "gleichen oder benachbarten Zeichen" : "gleiche oder benachbarte Zeichen"
      }
    return (limit == 1 ? "Keine \(characters)" : "Höchstens \(limit) \(characters)")
      + " hintereinander"
  }

  private static func noun(_ characterClass: CharacterClass, _ count: Int) -> String {
    if case .custom(let characters) = characterClass {
      return "der Zeichen \(TextParts.set(characters, space: "Leerzeichen"))"
    }
    return count == 1 ? singular(characterClass) : plural(characterClass)
  }

  private static func singular(_ characterClass: CharacterClass) -> String {
    switch characterClass {
    case .upper: "Großbuchstabe A–Z"
    case .lower: "Kleinbuchstabe a–z"
    case .digits: "Ziffer"
    case .special: "Sonderzeichen"
    case .asciiPrintable: "ASCII-Zeichen"
    case .unicode: "Zeichen"
    case .custom: plural(characterClass)
    }
  }

  private static func plural(_ characterClass: CharacterClass) -> String {
    switch characterClass {
    case .upper: "Großbuchstaben A–Z"
    case .lower: "Kleinbuchstaben a–z"
    case .digits: "Ziffern"
    case .special: "Sonderzeichen"
    case .asciiPrintable: "ASCII-Zeichen"
    case .unicode: "Zeichen"
    case .custom(let characters): "die Zeichen \(TextParts.set(characters, space: "Leerzeichen"))"
    }
  }

  private static func name(_ character: String) -> String {
    TextParts.name(
      character, space: "Leerzeichen", tab: "Tabulator", lineBreak: "Zeilenumbruch",
      quoted: { "„\($0)“" })
  }
}
