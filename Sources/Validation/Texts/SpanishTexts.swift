import PasswordRules

extension ValidationLanguage {
  /// Spanish.
  public static let spanish = ValidationLanguage(
    code: "es", message: SpanishTexts.text, status: { status, _ in SpanishTexts.text(of: status) })
}

enum SpanishTexts {
  static func text(of message: ValidationMessage, in language: ValidationLanguage) -> String {
    switch message {
    case .notEmpty: "No vacío"
    case .present: "Un valor"
    case .minimumCount(let count): "Al menos \(number(count, "elemento", "elementos"))"
    case .maximumCount(let count): "Como máximo \(number(count, "elemento", "elementos"))"
    case .addElements(let count): "Añade \(number(count, "elemento", "elementos"))"
    case .removeElements(let count): "Elimina \(number(count, "elemento", "elementos"))"
    case .unique: "Nada repetido"
    case .each(let message): "Cada elemento: \(language.text(of: message))"
    case .minimumLength(let count, let unit): "Al menos \(length(count, unit))"
    case .maximumLength(let count, let unit): "Como máximo \(length(count, unit))"
    case .addCharacters(let count, let unit): "Añade \(length(count, unit))"
    case .removeCharacters(let count, let unit): "Elimina \(length(count, unit))"
    case .onlyOf(let classes):
      classes.contains(.unicode)
        ? "Cualquier carácter" : "Solo \(TextParts.list(classes.map(plural), "y"))"
    case .minimumOf(let count, let classes): "Al menos \(number(count, of: classes))"
    case .addOf(let count, let classes): "Añade \(number(count, of: classes))"
    case .remove(let characters):
      "Elimina o sustituye \(TextParts.list(characters.map(name), "y"))"
    case .removeAt(let places):
      "Elimina o sustituye lo que está en la posición \(TextParts.places(places))"
    case .maximumRun(let run, let limit): limitText(run, limit)
    case .shortenRun(let run, let text, let place, let limit):
      "\(text.map { "«\($0)» en" } ?? "En") la posición \(TextParts.place(place)): \(limitText(run, limit))"
    case .makeRoom: "No queda sitio para esto: borra o sustituye algo antes"
    case .prefix(let text): "Empieza por «\(text)»"
    case .suffix(let text): "Termina en «\(text)»"
    case .trimmed: "Sin espacios al principio ni al final"
    case .singleLine: "Una sola línea"
    case .email: "Una dirección de correo electrónico"
    case .oneOf(let values):
      values.isEmpty ? "Una de las opciones" : "Uno de estos: \(values.joined(separator: ", "))"
    case .noneOf: "Nada ya ocupado o reservado"
    case .equal(let value): value.map { "«\($0)»" } ?? "El valor esperado"
    case .equalToOther: "Lo mismo otra vez"
    case .notContainingOther: "Sin el texto del otro campo"
    case .minimum(let value): "Al menos \(value)"
    case .maximum(let value): "Como máximo \(value)"
    case .lessThan(let value): "Menos de \(value)"
    case .moreThan(let value): "Más de \(value)"
    case .multiple(let value): "Un múltiplo de \(value)"
    case .finite: "Un número finito"
    case .notBlocked: "Fuera de la lista de contraseñas comunes o filtradas"
    case .chooseAnother:
      "Esta contraseña está en la lista de las que los atacantes prueban primero: "
        + "elige otra, por ejemplo varias palabras al azar"
    case .all(let messages): TextParts.list(messages.map(language.text), "y")
    case .either(let messages): TextParts.list(messages.map(language.text), "o")
    case .not(let message): "No: \(language.text(of: message))"
    case .custom(let code, let parameters): TextParts.code(code, parameters)
    }
  }

  static func text(of status: ValidationStatus) -> String {
    switch status {
    case .check(.satisfied): "cumplido"
    case .check(.notYet): "aún no cumplido"
    case .check(.broken): "por corregir"
    case .check(.waiting): "aún sin comprobar"
    case .check(.pending), .report(.pending): "comprobando…"
    case .check(.unavailable(.timedOut)): "no se ha podido comprobar: sin respuesta a tiempo"
    case .check(.unavailable(.failed)), .report(.undetermined): "no se ha podido comprobar"
    case .report(.pristine): "nada introducido todavía"
    case .report(.valid): "todo está bien"
    case .report(.invalid): "aún no está bien"
    case .progress(let done, let all):
      "Cumplidos: \(done) de \(number(all, "requisito", "requisitos"))"
    }
  }

  private static func number(_ count: Int, _ one: String, _ other: String) -> String {
    "\(count) \(count == 1 ? one : other)"
  }

  private static func length(_ count: Int, _ unit: LengthUnit) -> String {
    unit == .utf8 ? number(count, "byte", "bytes") : number(count, "carácter", "caracteres")
  }

  private static func number(_ count: Int, of classes: [CharacterClass]) -> String {
    "\(count) \(TextParts.list(classes.map { noun($0, count) }, "o"))"
  }

  private static func limitText(_ run: ValidationMessage.Run, _ limit: Int) -> String {
    let characters =
      switch run {
      case .repeating: "caracteres iguales seguidos"
      case .sequential: "caracteres consecutivos seguidos, como abc o 321"
      case .consecutive: "caracteres iguales o consecutivos seguidos"
      }
    return limit == 1 ? "Sin \(characters)" : "Como máximo \(limit) \(characters)"
  }

  private static func noun(_ characterClass: CharacterClass, _ count: Int) -> String {
    if case .custom = characterClass { return "de \(plural(characterClass))" }
    return count == 1 ? singular(characterClass) : plural(characterClass)
  }

  private static func singular(_ characterClass: CharacterClass) -> String {
    switch characterClass {
    case .upper: "mayúscula A–Z"
    case .lower: "minúscula a–z"
    case .digits: "dígito"
    case .special: "símbolo"
    case .asciiPrintable: "carácter ASCII"
    case .unicode: "carácter"
    case .custom: plural(characterClass)
    }
  }

  private static func plural(_ characterClass: CharacterClass) -> String {
    switch characterClass {
    case .upper: "mayúsculas A–Z"
    case .lower: "minúsculas a–z"
    case .digits: "dígitos"
    case .special: "símbolos"
    case .asciiPrintable: "caracteres ASCII"
    case .unicode: "caracteres"
    case .custom(let characters): "los caracteres \(TextParts.set(characters, space: "espacio"))"
    }
  }

  private static func name(_ character: String) -> String {
    TextParts.name(
      character, space: "el espacio", tab: "el tabulador", lineBreak: "el salto de línea",
      quoted: { "«\($0)»" })
  }
}
