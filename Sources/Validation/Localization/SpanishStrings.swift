import PasswordRules

enum SpanishStrings: LocalizedStrings {
  static let (and, or) = ("y", "o")
  static let quotationMarks = ("«", "»")
  static let position = (" en la posición", "En la posición")
  static let (space, tab, lineBreak) = ("el espacio", "el tabulador", "el salto de línea")
  static let element = Noun("elemento", "elementos")
  static let character = Noun("carácter", "caracteres")
  static let byte = Noun("byte", "bytes")

  static func text(of message: ValidationMessage, in language: ValidationLanguage) -> String {
    switch message {
    case .notEmpty: "No vacío"
    case .present: "Un valor"
    case .minimumCount, .minimumLength, .minimumOf, .minimum:
      "Al menos \(shared(message, language))"
    case .maximumCount, .maximumLength, .maximum: "Como máximo \(shared(message, language))"
    case .addElements, .addCharacters, .addOf: "Añade \(shared(message, language))"
    case .removeElements, .removeCharacters: "Elimina \(shared(message, language))"
    case .unique: "Sin duplicados"
    case .each(let message): "Cada elemento: \(language.text(of: message))"
    case .onlyOf(let classes) where classes.contains(.unicode): "Cualquier carácter"
    case .onlyOf: "Solo \(shared(message, language))"
    case .remove: "Elimina o sustituye \(shared(message, language))"
    case .removeAt(let positions):
      "Elimina o sustituye el texto en la posición \(Self.positions(positions))"
    case .maximumRun(.repeating, let limit): "\(most(limit)) caracteres iguales seguidos"
    case .maximumRun(.sequential, let limit):
      "\(most(limit)) caracteres consecutivos seguidos, como abc o 321"
    case .maximumRun(.consecutive, let limit):
      "\(most(limit)) caracteres iguales o consecutivos seguidos"
    case .replaceCharacters: "No queda sitio para esto: borra o sustituye algo antes"
    case .prefix(let text): "Empieza por \(quoted(text))"
    case .suffix(let text): "Termina en \(quoted(text))"
    case .trimmed: "Sin espacios al principio ni al final"
    case .singleLine: "Una sola línea"
    case .email: "Una dirección de correo electrónico"
    case .oneOf([]): "Una de las opciones"
    case .oneOf(let values): "Uno de estos: \(values.joined(separator: ", "))"
    case .noneOf: "No ocupado ni reservado"
    case .equal(let value): value.map(quoted) ?? "El valor esperado"
    case .equalToOther: "Debe coincidir con el otro campo"
    case .notContainingOther: "No debe contener el texto del otro campo"
    case .lessThan(let value): "Menos de \(value)"
    case .greaterThan(let value): "Más de \(value)"
    case .multiple(let value): "Un múltiplo de \(value)"
    case .finite: "Un número finito"
    case .notBlocked: "Fuera de la lista de contraseñas comunes o filtradas"
    case .chooseAnother:
      "Los atacantes prueban esta contraseña entre las primeras: "
        + "elige otra, por ejemplo varias palabras al azar"
    case .not(let message): "No: \(language.text(of: message))"
    case .shortenRun, .all, .either, .custom: shared(message, language)
    }
  }

  private static func most(_ limit: Int) -> String { limit == 1 ? "Sin" : "Como máximo \(limit)" }

  static func text(of status: ValidationStatus) -> String {
    switch status {
    case .check(.satisfied): "cumplido"
    case .check(.incomplete): "aún no cumplido"
    case .check(.violated): "por corregir"
    case .check(.waiting): "aún sin comprobar"
    case .check(.pending), .report(.pending): "comprobando…"
    case .check(.unavailable(.timedOut)): "no se ha podido comprobar: sin respuesta a tiempo"
    case .check(.unavailable(.failed)), .report(.undetermined): "no se ha podido comprobar"
    case .report(.pristine): "nada introducido todavía"
    case .report(.valid): "todo está bien"
    case .report(.invalid): "aún no está bien"
    case .progress(let done, let all):
      "Cumplidos: \(done) de \(Noun("requisito", "requisitos").counted(all))"
    }
  }

  static func noun(_ characterClass: CharacterClass) -> Noun {
    switch characterClass {
    case .upper: return Noun("mayúscula A–Z", "mayúsculas A–Z")
    case .lower: return Noun("minúscula a–z", "minúsculas a–z")
    case .digits: return Noun("dígito", "dígitos")
    case .special: return Noun("símbolo", "símbolos")
    case .asciiPrintable: return Noun("carácter ASCII", "caracteres ASCII")
    case .unicode: return character
    case .custom(let characters):
      let list = "los caracteres \(set(characters, space: "espacio"))"
      return Noun("de \(list)", "de \(list)", plural: list)
    }
  }
}
