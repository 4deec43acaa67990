import PasswordRules

extension ValidationLanguage {
  /// Russian.
  public static let russian = ValidationLanguage(
    code: "ru", message: RussianTexts.text, status: { status, _ in RussianTexts.text(of: status) })
}

enum RussianTexts {
  /// A noun in the cases that follow a number.
  struct Noun {
    /// After numbers that end in 1, as what is to be added or removed.
    let one: String
    /// After numbers that end in 2 to 4.
    let few: String
    /// After all others, and after any number but those in 1 where it is a limit.
    let many: String
    /// After numbers that end in 1, as a limit.
    let genitive: String

    init(_ one: String, _ few: String, _ many: String, genitive: String? = nil) {
      (self.one, self.few, self.many, self.genitive) = (one, few, many, genitive ?? few)
    }

    /// As the Common Locale Data Repository has it for whole numbers.
    func counted(_ count: Int) -> String {
      switch (count % 10, count % 100) {
      case (_, 11...14): many
      case (1, _): one
      case (2...4, _): few
      default: many
      }
    }

    func limiting(_ count: Int) -> String {
      count % 10 == 1 && count % 100 != 11 ? genitive : many
    }
  }

  private static let element = Noun("элемент", "элемента", "элементов")

  static func text(of message: ValidationMessage, in language: ValidationLanguage) -> String {
    switch message {
    case .notEmpty: "Не пусто"
    case .present: "Значение"
    case .minimumCount(let count): "Не менее \(count) \(element.limiting(count))"
    case .maximumCount(let count): "Не более \(count) \(element.limiting(count))"
    case .addElements(let count): "Добавьте \(count) \(element.counted(count))"
    case .removeElements(let count): "Удалите \(count) \(element.counted(count))"
    case .unique: "Без повторов"
    case .each(let message): "Каждый элемент: \(language.text(of: message))"
    case .minimumLength(let count, let unit): "Не менее \(count) \(noun(unit).limiting(count))"
    case .maximumLength(let count, let unit): "Не более \(count) \(noun(unit).limiting(count))"
    case .addCharacters(let count, let unit): "Добавьте \(count) \(noun(unit).counted(count))"
    case .removeCharacters(let count, let unit): "Удалите \(count) \(noun(unit).counted(count))"
    case .onlyOf(let classes):
      classes.contains(.unicode)
        ? "Любые символы" : "Только \(TextParts.list(classes.map(plural), "и"))"
    case .minimumOf(let count, let classes):
      "Не менее \(count) \(TextParts.list(classes.map { noun($0).limiting(count) }, "или"))"
    case .addOf(let count, let classes):
      "Добавьте \(count) \(TextParts.list(classes.map { noun($0).counted(count) }, "или"))"
    case .remove(let characters):
      "Удалите или замените \(TextParts.list(characters.map(name), "и"))"
    case .removeAt(let places): "Позиция \(TextParts.places(places)): удалите или замените"
    case .maximumRun(let run, let limit): limitText(run, limit)
    case .shortenRun(let run, let text, let place, let limit):
      "\(text.map { "«\($0)», позиция" } ?? "Позиция") \(TextParts.place(place)): "
        + limitText(run, limit)
    case .makeRoom: "Для этого не осталось места: сначала удалите или замените что-нибудь"
    case .prefix(let text): "Начинается с «\(text)»"
    case .suffix(let text): "Заканчивается на «\(text)»"
    case .trimmed: "Без пробелов в начале и в конце"
    case .singleLine: "Одна строка"
    case .email: "Адрес электронной почты"
    case .oneOf(let values):
      values.isEmpty ? "Один из вариантов" : "Одно из: \(values.joined(separator: ", "))"
    case .noneOf: "Ничего занятого или зарезервированного"
    case .equal(let value): value.map { "«\($0)»" } ?? "Ожидаемое значение"
    case .equalToOther: "То же самое ещё раз"
    case .notContainingOther: "Без текста другого поля"
    case .minimum(let value): "Не менее \(value)"
    case .maximum(let value): "Не более \(value)"
    case .lessThan(let value): "Меньше \(value)"
    case .moreThan(let value): "Больше \(value)"
    case .multiple(let value): "Кратно \(value)"
    case .finite: "Конечное число"
    case .notBlocked: "Нет в списке распространённых или скомпрометированных паролей"
    case .chooseAnother:
      "Этот пароль есть в списке тех, что злоумышленники пробуют первыми: "
        + "выберите другой, например несколько случайных слов"
    case .all(let messages): TextParts.list(messages.map(language.text), "и")
    case .either(let messages): TextParts.list(messages.map(language.text), "или")
    case .not(let message): "Не так: \(language.text(of: message))"
    case .custom(let code, let parameters): TextParts.code(code, parameters)
    }
  }

  static func text(of status: ValidationStatus) -> String {
    switch status {
    case .check(.satisfied): "выполнено"
    case .check(.notYet): "пока не выполнено"
    case .check(.broken): "нужно исправить"
    case .check(.waiting): "ещё не проверено"
    case .check(.pending), .report(.pending): "проверяется…"
    case .check(.unavailable(.timedOut)): "не удалось проверить: нет ответа вовремя"
    case .check(.unavailable(.failed)), .report(.undetermined): "не удалось проверить"
    case .report(.pristine): "ещё ничего не введено"
    case .report(.valid): "всё верно"
    case .report(.invalid): "пока не всё верно"
    case .progress(let done, let all):
      "Выполнено \(done) из \(all) "
        + Noun("требование", "требования", "требований").limiting(all)
    }
  }

  private static func limitText(_ run: ValidationMessage.Run, _ limit: Int) -> String {
    let isSingular = limit % 10 == 1 && limit % 100 != 11
    let characters =
      switch run {
      case .repeating: isSingular ? "одинакового символа" : "одинаковых символов"
      case .sequential: isSingular ? "соседнего символа" : "соседних символов"
      case .consecutive:
        isSingular ? "одинакового или соседнего символа" : "одинаковых или соседних символов"
      }
    return "Не более \(limit) \(characters) подряд"
      + (run == .repeating ? "" : " (например, abc или 321)")
  }

  private static func noun(_ unit: LengthUnit) -> Noun {
    unit == .utf8
      ? Noun("байт", "байта", "байтов") : Noun("символ", "символа", "символов")
  }

  private static func noun(_ characterClass: CharacterClass) -> Noun {
    switch characterClass {
    case .upper:
      Noun(
        "прописную букву A–Z", "прописные буквы A–Z", "прописных букв A–Z",
        genitive: "прописной буквы A–Z")
    case .lower:
      Noun(
        "строчную букву a–z", "строчные буквы a–z", "строчных букв a–z",
        genitive: "строчной буквы a–z")
    case .digits: Noun("цифру", "цифры", "цифр")
    case .special: Noun("спецсимвол", "спецсимвола", "спецсимволов")
    case .asciiPrintable: Noun("символ ASCII", "символа ASCII", "символов ASCII")
    case .unicode: Noun("символ", "символа", "символов")
    case .custom(let characters):
      Noun(
        "символ из \(set(characters))", "символа из \(set(characters))",
        "символов из \(set(characters))")
    }
  }

  private static func plural(_ characterClass: CharacterClass) -> String {
    switch characterClass {
    case .upper: "прописные буквы A–Z"
    case .lower: "строчные буквы a–z"
    case .digits: "цифры"
    case .special: "спецсимволы"
    case .asciiPrintable: "символы ASCII"
    case .unicode: "символы"
    case .custom(let characters): "символы \(set(characters))"
    }
  }

  private static func set(_ characters: PrintableCharacters) -> String {
    TextParts.set(characters, space: "пробел")
  }

  private static func name(_ character: String) -> String {
    TextParts.name(
      character, space: "пробел", tab: "табуляцию", lineBreak: "перенос строки",
      quoted: { "«\($0)»" })
  }
}
