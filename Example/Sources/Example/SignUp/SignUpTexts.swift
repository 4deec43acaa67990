import Validation

/// The texts of the sign-up in one language; those of the checks are the library's.
struct SignUpTexts: Sendable {
  /// The texts of the checks, apart from the app's own requirements.
  let checks: ValidationLanguage
  let title: @Sendable (String) -> String
  let labels: [String]
  let next, back, submit, cancel, show, hide, accept: String
  let offer: @Sendable (String) -> String
  let full, unreadable, incomplete, undetermined: String
  let free: @Sendable (String) -> String
  let withoutName: String
  let lost: @Sendable (String, String) -> String
  let saved: @Sendable (String, String) -> String
  let verified, cancelled, ended: String
  let emptyTakesOffer: String

  static let all = [english, german, spanish, russian]
  static var codes: String { all.map(\.checks.code).joined(separator: ", ") }

  /// The texts of a language; nil when there are none.
  static func named(_ code: String) -> SignUpTexts? { all.first { $0.checks.code == code } }

  /// The texts of a locale's language, English where there are none.
  static func preferred(_ locale: String) -> SignUpTexts {
    named(ValidationLanguage.preferred([locale], among: all.map(\.checks)).code) ?? english
  }

  /// The texts of all checks of the form.
  var language: ValidationLanguage {
    checks.replacing { [free, withoutName] message in
      switch message {
      case .custom(SignUpModel.freeCode, let site): site.first.map(free)
      case .custom(SignUpModel.withoutNameCode, _): withoutName
      default: nil
      }
    }
  }

  func label(_ field: SignUpField) -> String { labels[field.rawValue] }
}

extension SignUpTexts {
  static let english = SignUpTexts(
    checks: .english,
    title: { "New account at \($0)" },
    labels: ["User name", "Password", "Repeat password"],
    next: "next", back: "back", submit: "done", cancel: "cancel",
    show: "show password", hide: "hide password", accept: "take the suggestion",
    offer: { "Suggestion: \($0)" },
    full: "The field has no room for that.",
    unreadable: "That was not text in UTF-8, and was not taken.",
    incomplete: "Something is missing or wrong here.",
    undetermined: "This could not be checked. Enter tries again.",
    free: { "Not taken yet at \($0)" },
    withoutName: "Must not contain the user name",
    lost: { "The name \($0) was taken at \($1) meanwhile. Nothing was saved." },
    saved: { "The password of \($0) at \($1) is saved." },
    verified: "A second process has read it back.",
    cancelled: "Cancelled. Nothing was saved.",
    ended: "The input ended before the account was complete. Nothing was saved.",
    emptyTakesOffer: "an empty line takes a generated one")

  static let german = SignUpTexts(
    checks: .german,
    title: { "Neues Konto bei \($0)" },
    labels: ["Benutzername", "Passwort", "Passwort wiederholen"],
    next: "weiter", back: "zurück", submit: "fertig", cancel: "abbrechen",
    show: "Passwort zeigen", hide: "Passwort verbergen", accept: "Vorschlag annehmen",
    offer: { "Vorschlag: \($0)" },
    full: "Dafür hat das Feld keinen Platz.",
    unreadable: "Das war kein Text in UTF-8 und wurde nicht übernommen.",
    incomplete: "Hier fehlt etwas oder ist etwas falsch.",
    undetermined: "Das konnte nicht geprüft werden. Enter versucht es noch einmal.",
    free: { "Noch nicht vergeben bei \($0)" },
    withoutName: "Darf den Benutzernamen nicht enthalten",
    lost: { "Der Name \($0) wurde bei \($1) inzwischen vergeben. Nichts wurde gespeichert." },
    saved: { "Das Passwort von \($0) bei \($1) ist gespeichert." },
    verified: "Ein zweiter Prozess hat es gelesen.",
    cancelled: "Abgebrochen. Nichts wurde gespeichert.",
    ended: "Die Eingabe endete, bevor das Konto vollständig war. Nichts wurde gespeichert.",
    emptyTakesOffer: "eine leere Zeile nimmt ein erzeugtes")

  static let spanish = SignUpTexts(
    checks: .spanish,
    title: { "Cuenta nueva en \($0)" },
    labels: ["Nombre de usuario", "Contraseña", "Repetir contraseña"],
    next: "siguiente", back: "anterior", submit: "listo", cancel: "cancelar",
    show: "mostrar contraseña", hide: "ocultar contraseña", accept: "aceptar la sugerencia",
    offer: { "Sugerencia: \($0)" },
    full: "No cabe más en el campo.",
    unreadable: "No era texto en UTF-8 y no se ha tomado.",
    incomplete: "Aquí falta algo o hay algo incorrecto.",
    undetermined: "No se ha podido comprobar. Intro lo intenta de nuevo.",
    free: { "Aún libre en \($0)" },
    withoutName: "No debe contener el nombre de usuario",
    lost: { "El nombre \($0) se ha ocupado entretanto en \($1). No se ha guardado nada." },
    saved: { "La contraseña de \($0) en \($1) está guardada." },
    verified: "Un segundo proceso la ha leído.",
    cancelled: "Cancelado. No se ha guardado nada.",
    ended: "La entrada terminó antes de completar la cuenta. No se ha guardado nada.",
    emptyTakesOffer: "una línea vacía toma una generada")

  static let russian = SignUpTexts(
    checks: .russian,
    title: { "Новая учётная запись на \($0)" },
    labels: ["Имя пользователя", "Пароль", "Повторите пароль"],
    next: "дальше", back: "назад", submit: "готово", cancel: "отмена",
    show: "показать пароль", hide: "скрыть пароль", accept: "принять предложенный",
    offer: { "Предложение: \($0)" },
    full: "В поле больше нет места.",
    unreadable: "Это не текст в UTF-8, и он не принят.",
    incomplete: "Здесь чего-то не хватает или есть ошибка.",
    undetermined: "Проверить не удалось. Enter — попробовать ещё раз.",
    free: { "Ещё не занято на \($0)" },
    withoutName: "Не должен содержать имя пользователя",
    lost: { "Имя \($0) тем временем заняли на \($1). Ничего не сохранено." },
    saved: { "Пароль пользователя \($0) на \($1) сохранён." },
    verified: "Второй процесс прочитал его.",
    cancelled: "Отменено. Ничего не сохранено.",
    ended: "Ввод закончился раньше, чем заполнены все поля. Ничего не сохранено.",
    emptyTakesOffer: "пустая строка — принять созданный")
}
