import Validation

extension SignUpTexts {
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
    withoutName: "Ohne den Benutzernamen",
    lost: { "Der Name \($0) wurde bei \($1) inzwischen vergeben. Nichts wurde gespeichert." },
    saved: { "Das Passwort von \($0) bei \($1) ist gespeichert." },
    verified: "Ein zweiter Prozess hat es gelesen.",
    cancelled: "Abgebrochen. Nichts wurde gespeichert.",
    ended: "Die Eingabe endete, bevor das Konto vollständig war. Nichts wurde gespeichert.",
    emptyTakesOffer: "eine leere Zeile nimmt ein erzeugtes")
}
