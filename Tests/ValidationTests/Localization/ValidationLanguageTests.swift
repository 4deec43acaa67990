import PasswordRules
import TestSupport
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

  private struct CountRow: Decodable {
    let count: Int
    let texts: [String]
  }

  @Test func countsHaveCorrectPlural() throws {
    for row in try Fixture.rows("plurals", as: CountRow.self) {
      let message = ValidationMessage.addOf(row.count, [.digits])
      #expect(ValidationLanguage.all.map { message.text(in: $0) } == row.texts, "\(row)")
    }
  }

  @Test func limitsAreInTheGenitiveInRussian() throws {
    for row in try Fixture.rows("russian-limits", as: CountRow.self) {
      let least = ValidationMessage.minimumOf(row.count, [.upper, .digits])
      let most = ValidationMessage.maximumLength(row.count, .codePoints)
      #expect([least, most].map { $0.text(in: .russian) } == row.texts, "\(row)")
    }
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
