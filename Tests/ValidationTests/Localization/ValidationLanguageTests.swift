import PasswordRules
import Testing
import Validation

struct ValidationLanguageTests {
  /// Every kind of message, with the parts that its text must show.
  private static let messages: [(message: ValidationMessage, shown: [String])] = [
    (.notEmpty, []), (.present, []), (.minimumCount(37), ["37"]), (.maximumCount(37), ["37"]),
    (.addElements(37), ["37"]), (.removeElements(37), ["37"]), (.unique, []),
    (.each(.minimumCount(37)), ["37"]), (.minimumLength(37, .codePoints), ["37"]),
    (.maximumLength(37, .utf8), ["37", "yte|байт"]), (.addCharacters(37, .utf16), ["37"]),
    (.removeCharacters(37, .graphemeClusters), ["37"]), (.onlyOf([.unicode]), []),
    (.onlyOf([.upper, .lower, .special, .custom("1 2")]), ["A–Z", "a–z", "12"]),
    (.onlyOf([.digits, .asciiPrintable]), ["ASCII"]),
    (.minimumOf(37, [.digits, .custom("xy")]), ["37", "xy"]),
    (.addOf(37, [.lower]), ["37", "a–z"]),
    (.remove(["x", " ", "\u{200B}", "\t", "\n", "\u{301}"]), ["x", "U+200B", "U+0301"]),
    (.removeAt([0..<1, 3..<6, 8..<9, 10..<11]), ["1, 4–6, 9"]),
    (.maximumRun(.repeating, 37), ["37"]), (.maximumRun(.sequential, 37), ["37", "abc", "321"]),
    (.maximumRun(.consecutive, 37), ["37"]),
    (.shortenRun(.repeating, "aaa", at: 3..<6, limit: 2), ["aaa", "4–6", "2"]),
    (.shortenRun(.consecutive, nil, at: 3..<6, limit: 2), ["4–6", "2"]), (.replaceCharacters, []),
    (.prefix("xyzzy"), ["xyzzy"]), (.suffix("xyzzy"), ["xyzzy"]), (.trimmed, []), (.singleLine, []),
    (.email, []), (.oneOf(["x", "y"]), ["x, y"]), (.oneOf([]), []), (.noneOf, []),
    (.equal("xyzzy"), ["xyzzy"]), (.equal(nil), []), (.equalToOther, []), (.notContainingOther, []),
    (.minimum("3.7"), ["3.7"]), (.maximum("3.7"), ["3.7"]), (.lessThan("3.7"), ["3.7"]),
    (.greaterThan("3.7"), ["3.7"]), (.multiple(of: "37"), ["37"]), (.finite, []), (.notBlocked, []),
    (.chooseAnother, []), (.all([.prefix("x"), .suffix("y"), .prefix("z")]), ["x", "y", "z"]),
    (.either([.prefix("x"), .suffix("y")]), ["x", "y"]), (.not(.prefix("x")), ["x"]),
    (.custom("app.code", ["x", "y"]), ["app.code (x, y)"]), (.custom("app.code"), ["app.code"]),
  ]

  private static let statuses: [ValidationStatus] = [
    .check(.satisfied), .check(.incomplete), .check(.violated), .check(.waiting), .check(.pending),
    .check(.unavailable(.timedOut)), .check(.unavailable(.failed("x"))), .report(.pristine),
    .report(.valid), .report(.invalid), .report(.pending), .report(.undetermined),
    .progress(2, of: 4),
  ]

  @Test(arguments: ValidationLanguage.all.map(\.code))
  func everyMessageHasATextWithItsParameters(code: String) {
    let language = ValidationLanguage.preferred([code])
    for (message, shown) in Self.messages {
      let text = message.text(in: language)
      #expect(!text.isEmpty, "\(message)")
      #expect(!text.contains("  "), "\(message): \(text)")
      for part in shown {
        #expect(part.split(separator: "|").contains { text.contains($0) }, "\(message): \(text)")
      }
    }
  }

  @Test(arguments: ValidationLanguage.all.map(\.code))
  func everyStateHasItsOwnText(code: String) {
    let language = ValidationLanguage.preferred([code])
    let texts = Self.statuses.map(language.text)
    #expect(texts.allSatisfy { !$0.isEmpty })
    // "Checking" and "could not be checked" apply to a check and to a value.
    #expect(Set(texts).count == texts.count - 2)
  }

  @Test func languagesDiffer() {
    for (message, _) in Self.messages {
      if case .custom = message { continue }
      let texts = Set(ValidationLanguage.all.map { message.text(in: $0) })
      // Two languages may quote an exact value alike.
      let fewest = if case .equal(.some) = message { 2 } else { 4 }
      #expect(texts.count >= fewest, "\(message)")
    }
  }

  @Test(arguments: [
    (1, "Add 1 digit", "Noch 1 Ziffer", "Añade 1 dígito", "Добавьте 1 цифру"),
    (2, "Add 2 digits", "Noch 2 Ziffern", "Añade 2 dígitos", "Добавьте 2 цифры"),
    (4, "Add 4 digits", "Noch 4 Ziffern", "Añade 4 dígitos", "Добавьте 4 цифры"),
    (5, "Add 5 digits", "Noch 5 Ziffern", "Añade 5 dígitos", "Добавьте 5 цифр"),
    (11, "Add 11 digits", "Noch 11 Ziffern", "Añade 11 dígitos", "Добавьте 11 цифр"),
    (12, "Add 12 digits", "Noch 12 Ziffern", "Añade 12 dígitos", "Добавьте 12 цифр"),
    (21, "Add 21 digits", "Noch 21 Ziffern", "Añade 21 dígitos", "Добавьте 21 цифру"),
    (22, "Add 22 digits", "Noch 22 Ziffern", "Añade 22 dígitos", "Добавьте 22 цифры"),
    (111, "Add 111 digits", "Noch 111 Ziffern", "Añade 111 dígitos", "Добавьте 111 цифр"),
  ])
  func countsHaveCorrectPlural(
    count: Int, english: String, german: String, spanish: String, russian: String
  ) {
    let message = ValidationMessage.addOf(count, [.digits])
    #expect(
      ValidationLanguage.all.map { message.text(in: $0) } == [english, german, spanish, russian])
  }

  @Test(arguments: [
    (1, "Не менее 1 прописной буквы A–Z или цифры", "Не более 1 символа"),
    (2, "Не менее 2 прописных букв A–Z или цифр", "Не более 2 символов"),
    (21, "Не менее 21 прописной буквы A–Z или цифры", "Не более 21 символа"),
    (11, "Не менее 11 прописных букв A–Z или цифр", "Не более 11 символов"),
  ])
  func limitsAreInTheGenitiveInRussian(count: Int, least: String, most: String) {
    #expect(ValidationMessage.minimumOf(count, [.upper, .digits]).text(in: .russian) == least)
    #expect(ValidationMessage.maximumLength(count, .codePoints).text(in: .russian) == most)
  }

  @Test func textOfCheckIncludesPendingState() {
    let check = Validator<String>.custom("free", .custom("free")) { _ in .pending }
      .report(for: "").checks[0]
    #expect(check.text(in: .english) == "free: checking…")
    let failed = Validator<String>.custom("free", .custom("free")) { _ in .unavailable(.timedOut) }
      .report(for: "").checks[0]
    #expect(failed.text(in: .english) == "free: could not be checked: no answer in time")
  }

  @Test func progressHasText() {
    let validator: Validator<String> = .notEmpty && .email && .singleLine.recommended
    let report = validator.report(for: "a")
    #expect(
      ValidationLanguage.all.map { report.progressText(in: $0) } == [
        "1 of 2 requirements met", "1 von 2 Anforderungen erfüllt", "Cumplidos: 1 de 2 requisitos",
        "Выполнено 1 из 2 требований",
      ])
    #expect(report.state.text(in: .german) == "noch nicht in Ordnung")
  }

  @Test func appCanReplaceTexts() {
    let language = ValidationLanguage.german.replacing { message in
      switch message {
      case .custom("free", let names): "\(names.joined()) ist vergeben"
      case .notEmpty: "Pflichtfeld"
      default: nil
      }
    }
    #expect(language.code == "de")
    #expect(ValidationMessage.custom("free", ["anna"]).text(in: language) == "anna ist vergeben")
    // The same holds within other messages.
    #expect(
      ValidationMessage.either([.notEmpty, .email]).text(in: language)
        == "Pflichtfeld oder Eine E-Mail-Adresse")
    #expect(ValidationMessage.custom("other").text(in: language) == "other")
  }

  @Test func missingTextIsEnglish() {
    let latin = ValidationLanguage(code: "la") { message, language in
      switch message {
      case .notEmpty: "Ne vacuum sit"
      case .not(let message): "Ne: \(language.text(of: message))"
      default: nil
      }
    }
    #expect(ValidationMessage.notEmpty.text(in: latin) == "Ne vacuum sit")
    #expect(ValidationMessage.not(.email).text(in: latin) == "Ne: An email address")
    #expect(
      ValidationMessage.either([.notEmpty, .email]).text(in: latin)
        == "Ne vacuum sit or An email address")
    #expect(ValidationMessage.custom("code").text(in: latin) == "code")
    #expect(ValidationCheck.State.pending.text(in: latin) == "checking…")
  }

  @Test(
    arguments: [
      (["de_AT.UTF-8"], "de"), (["es-MX"], "es"), (["ru_RU.KOI8-R@x"], "ru"), (["DE"], "de"),
      (["fr_FR.UTF-8"], "en"), ([], "en"), ([""], "en"), (["fr:ru:de"], "ru"),
      (["fr", "es"], "es"), (["C.UTF-8", "de"], "en"), (["POSIX", "de"], "en"),
      (["pt"], "pt-BR"), (["pt_PT"], "pt-BR"), (["pt-br"], "pt-BR"), (["deu"], "en"),
    ] as [([String], String)])
  func preferredLanguageIsFound(codes: [String], found: String) {
    let languages =
      ValidationLanguage.all + [ValidationLanguage(code: "pt-BR", message: { _, _ in nil })]
    #expect(ValidationLanguage.preferred(codes, among: languages).code == found)
  }
}
