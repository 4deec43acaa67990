import PasswordRules

enum GermanStrings: LocalizedStrings {
  static let (and, or) = ("und", "oder")
  static let quotationMarks = ("„", "“")
  static let position = (" an Stelle", "An Stelle")
  static let (space, tab, lineBreak) = ("Leerzeichen", "Tabulator", "Zeilenumbruch")
  static let element = Noun("Element", "Elemente")
  static let character = Noun("Zeichen", "Zeichen")
  static let byte = Noun("Byte", "Bytes")

  static func text(of message: ValidationMessage, in language: ValidationLanguage) -> String {
    switch message {
    case .notEmpty: "Nicht leer"
    case .present: "Ein Wert"
    case .minimumCount, .minimumLength, .minimumOf, .minimum:
      "Mindestens \(shared(message, language))"
    case .maximumCount, .maximumLength, .maximum: "Höchstens \(shared(message, language))"
    case .addElements, .addCharacters, .addOf: "Noch \(shared(message, language))"
    case .removeElements, .removeCharacters: "\(shared(message, language)) entfernen"
    case .unique: "Keine Duplikate"
    case .each(let message): "Jedes Element: \(language.text(of: message))"
    case .onlyOf(let classes) where classes.contains(.unicode): "Beliebige Zeichen"
    case .onlyOf: "Nur \(shared(message, language))"
    case .remove: "\(shared(message, language)) entfernen oder ersetzen"
    case .removeAt(let positions): "Stelle \(Self.positions(positions)): entfernen oder ersetzen"
    case .maximumRun(.repeating, 1): "Keine gleichen Zeichen hintereinander"
    case .maximumRun(.sequential, 1): "Keine Nachbarn wie abc oder 321 hintereinander"
    case .maximumRun(.consecutive, 1): "Keine gleichen oder benachbarten Zeichen hintereinander"
    case .maximumRun(.repeating, let limit): "Höchstens \(limit) gleiche Zeichen hintereinander"
    case .maximumRun(.sequential, let limit):
      "Höchstens \(limit) Nachbarn wie abc oder 321 hintereinander"
    case .maximumRun(.consecutive, let limit):
      "Höchstens \(limit) gleiche oder benachbarte Zeichen hintereinander"
    case .replaceCharacters: "Dafür ist kein Platz mehr: zuerst etwas löschen oder ersetzen"
    case .prefix(let text): "Beginnt mit \(quoted(text))"
    case .suffix(let text): "Endet mit \(quoted(text))"
    case .trimmed: "Keine Leerzeichen am Anfang oder Ende"
    case .singleLine: "Eine einzige Zeile"
    case .email: "Eine E-Mail-Adresse"
    case .oneOf([]): "Eine der Möglichkeiten"
    case .oneOf(let values): "Eines von: \(values.joined(separator: ", "))"
    case .noneOf: "Nicht vergeben oder reserviert"
    case .equal(let value): value.map(quoted) ?? "Der erwartete Wert"
    case .equalToOther: "Muss mit dem anderen Feld übereinstimmen"
    case .notContainingOther: "Darf den Text des anderen Feldes nicht enthalten"
    case .lessThan(let value): "Weniger als \(value)"
    case .greaterThan(let value): "Mehr als \(value)"
    case .multiple(let value): "Ein Vielfaches von \(value)"
    case .finite: "Eine endliche Zahl"
    case .notBlocked: "Nicht auf der Liste verbreiteter oder bekannt gewordener Passwörter"
    case .chooseAnother:
      "Dieses Passwort probieren Angreifer als eines der ersten: "
        + "ein anderes wählen, etwa mehrere zufällige Wörter"
    case .not(let message): "Nicht: \(language.text(of: message))"
    case .shortenRun, .all, .either, .custom: shared(message, language)
    }
  }

  static func text(of status: ValidationStatus) -> String {
    switch status {
    case .check(.satisfied): "erfüllt"
    case .check(.incomplete): "noch nicht erfüllt"
    case .check(.violated): "zu korrigieren"
    case .check(.waiting): "noch nicht geprüft"
    case .check(.pending), .report(.pending): "wird geprüft …"
    case .check(.unavailable(.timedOut)): "konnte nicht geprüft werden: keine rechtzeitige Antwort"
    case .check(.unavailable(.failed)), .report(.undetermined): "konnte nicht geprüft werden"
    case .report(.pristine): "noch nichts eingegeben"
    case .report(.valid): "alles in Ordnung"
    case .report(.invalid): "noch nicht in Ordnung"
    case .progress(let done, let all):
      "\(done) von \(Noun("Anforderung", "Anforderungen").counted(all)) erfüllt"
    }
  }

  static func noun(_ characterClass: CharacterClass) -> Noun {
    switch characterClass {
    case .upper: return Noun("Großbuchstabe A–Z", "Großbuchstaben A–Z")
    case .lower: return Noun("Kleinbuchstabe a–z", "Kleinbuchstaben a–z")
    case .digits: return Noun("Ziffer", "Ziffern")
    case .special: return Noun("Sonderzeichen", "Sonderzeichen")
    case .asciiPrintable: return Noun("ASCII-Zeichen", "ASCII-Zeichen")
    case .unicode: return character
    case .custom(let characters):
      let list = "Zeichen \(set(characters, space: "Leerzeichen"))"
      return Noun("der \(list)", "der \(list)", plural: "die \(list)")
    }
  }
}
