import PasswordRules

enum RussianStrings: LocalizedStrings {
  static let (and, or) = ("и", "или")
  static let quotationMarks = ("«", "»")
  static let position = (", позиция", "Позиция")
  static let (space, tab, lineBreak) = ("пробел", "табуляцию", "перенос строки")
  static let element = Noun("элемент", few: "элемента", "элементов")
  static let character = Noun("символ", few: "символа", "символов", plural: "символы")
  static let byte = Noun("байт", few: "байта", "байтов")

  static func text(of message: ValidationMessage, in language: ValidationLanguage) -> String {
    switch message {
    case .notEmpty: "Не пусто"
    case .present: "Значение"
    case .minimumCount, .minimumLength, .minimumOf, .minimum:
      "Не менее \(shared(message, language))"
    case .maximumCount, .maximumLength, .maximum: "Не более \(shared(message, language))"
    case .addElements, .addCharacters, .addOf: "Добавьте \(shared(message, language))"
    case .removeElements, .removeCharacters: "Удалите \(shared(message, language))"
    case .unique: "Без дубликатов"
    case .each(let message): "Каждый элемент: \(language.text(of: message))"
    case .onlyOf(let classes) where classes.contains(.unicode): "Любые символы"
    case .onlyOf: "Только \(shared(message, language))"
    case .remove: "Удалите или замените \(shared(message, language))"
    case .removeAt(let positions): "Позиция \(Self.positions(positions)): удалите или замените"
    case .maximumRun(.repeating, let limit) where Noun.isSingular(limit):
      "Не более \(limit) одинакового символа подряд"
    case .maximumRun(.repeating, let limit): "Не более \(limit) одинаковых символов подряд"
    case .maximumRun(.sequential, let limit) where Noun.isSingular(limit):
      "Не более \(limit) соседнего символа подряд (например, abc или 321)"
    case .maximumRun(.sequential, let limit):
      "Не более \(limit) соседних символов подряд (например, abc или 321)"
    case .maximumRun(.consecutive, let limit) where Noun.isSingular(limit):
      "Не более \(limit) одинакового или соседнего символа подряд (например, abc или 321)"
    case .maximumRun(.consecutive, let limit):
      "Не более \(limit) одинаковых или соседних символов подряд (например, abc или 321)"
    case .replaceCharacters: "Для этого не осталось места: сначала удалите или замените что-нибудь"
    case .prefix(let text): "Начинается с \(quoted(text))"
    case .suffix(let text): "Заканчивается на \(quoted(text))"
    case .trimmed: "Без пробелов в начале и в конце"
    case .singleLine: "Одна строка"
    case .email: "Адрес электронной почты"
    case .oneOf([]): "Один из вариантов"
    case .oneOf(let values): "Одно из: \(values.joined(separator: ", "))"
    case .noneOf: "Не занято и не зарезервировано"
    case .equal(let value): value.map(quoted) ?? "Ожидаемое значение"
    case .equalToOther: "Должно совпадать с другим полем"
    case .notContainingOther: "Не должно содержать текст другого поля"
    case .lessThan(let value): "Меньше \(value)"
    case .greaterThan(let value): "Больше \(value)"
    case .multiple(let value): "Кратно \(value)"
    case .finite: "Конечное число"
    case .notBlocked: "Нет в списке распространённых или скомпрометированных паролей"
    case .chooseAnother:
      "Злоумышленники пробуют этот пароль одним из первых: "
        + "выберите другой, например несколько случайных слов"
    case .not(let message): "Не так: \(language.text(of: message))"
    case .shortenRun, .all, .either, .custom: shared(message, language)
    }
  }

  static func text(of status: ValidationStatus) -> String {
    switch status {
    case .check(.satisfied): "выполнено"
    case .check(.incomplete): "пока не выполнено"
    case .check(.violated): "нужно исправить"
    case .check(.waiting): "ещё не проверено"
    case .check(.pending), .report(.pending): "проверяется…"
    case .check(.unavailable(.timedOut)): "не удалось проверить: нет ответа вовремя"
    case .check(.unavailable(.failed)), .report(.undetermined): "не удалось проверить"
    case .report(.pristine): "ещё ничего не введено"
    case .report(.valid): "всё верно"
    case .report(.invalid): "пока не всё верно"
    case .progress(let done, let all):
      "Выполнено \(done) из " + Noun("требование", few: "требования", "требований").limiting(all)
    }
  }

  static func noun(_ characterClass: CharacterClass) -> Noun {
    switch characterClass {
    case .upper:
      return Noun(
        "прописную букву A–Z", few: "прописные буквы A–Z", "прописных букв A–Z",
        genitive: "прописной буквы A–Z", plural: "прописные буквы A–Z")
    case .lower:
      return Noun(
        "строчную букву a–z", few: "строчные буквы a–z", "строчных букв a–z",
        genitive: "строчной буквы a–z", plural: "строчные буквы a–z")
    case .digits: return Noun("цифру", few: "цифры", "цифр", plural: "цифры")
    case .special:
      return Noun("спецсимвол", few: "спецсимвола", "спецсимволов", plural: "спецсимволы")
    case .asciiPrintable:
      return Noun("символ ASCII", few: "символа ASCII", "символов ASCII", plural: "символы ASCII")
    case .unicode: return character
    case .custom(let characters):
      let list = set(characters, space: "пробел")
      return Noun(
        "символ из \(list)", few: "символа из \(list)", "символов из \(list)",
        plural: "символы \(list)")
    }
  }
}
