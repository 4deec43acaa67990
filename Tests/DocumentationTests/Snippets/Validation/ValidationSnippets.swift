import Foundation
import PasswordRules
import TestSupport
import Testing
import Validation

/// The code of the pages of `Validation`.
struct ValidationSnippets {
  @Test func overview() {
    let validator: Validator<String> =
      .notEmpty && .count(4...) && .contains(of: .special) && .contains(of: .upper)
    let report = validator.report(for: "ab!")
    print(report.isValid, report.progress)  // false 0.5
    for check in report.checks {
      print(check.state, check.text(in: .english))
    }
    #expect(report.progress == 0.5)
  }

  @Test func combining() {
    let phone: Validator<String> = .prefix("+") && .characters(in: .digits, .custom("+ "))
    let contact = phone || .email
    let name: Validator<String> =
      .count(3...20) && .trimmed && !.prefix("admin") && .maxRepeating(3).recommended
    let optionalName: Validator<String?> = .ifPresent(name)
    let tags: Validator<[String]> = .count(...5) && .unique && .each(.notEmpty)
    #expect(contact.report(for: "+49 1").isValid)
    #expect(optionalName.report(for: nil).isValid)
    #expect(!tags.report(for: ["a", ""]).isValid)
  }

  struct Account {
    var name = ""
    var age = 0
  }

  @Test func parts() {
    let account: Validator<Account> = .at(\.name, .notEmpty) && .at(\.age, .in(18...))
    let even: Validator<Int> = .custom("even", .custom("even")) { $0 % 2 == 0 }
    #expect(!account.report(for: Account()).isValid)
    #expect(even.report(for: 2).isValid)

    let word: Validator<String> = .matching(.custom("word")) { /\w+/ }
    #expect(word.report(for: "ñandú").isValid)
  }

  @Test func passwords() {
    let rules: PasswordRuleSet = [
      .required(.upper), .required(.digits), .allowed(.lower), .minLength(12), .maxLength(64),
    ]
    let password: Validator<String> = .password(rules)
    for check in password.report(for: "Tapqof").errors {
      print(check.text(in: .english))  // Add 1 digit, Add 6 characters
    }
    #expect(
      password.report(for: "Tapqof").errors.map { $0.text(in: .english) }
        == ["Add 1 digit", "Add 6 characters"])
  }

  @Test func texts() {
    let validator: Validator<String> = .contains(atLeast: 2, of: .digits)
    let check = validator.report(for: "a1").checks[0]
    print(check.requirement.text(in: .english))  // At least 2 digits
    print(check.message.text(in: .english))  // Add 1 digit

    let environment = ProcessInfo.processInfo.environment
    let names = ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }
    let language = ValidationLanguage.preferred(names)
    print(check.text(in: language))

    print(check.state.text(in: .spanish))  // aún no cumplido
    print(validator.report(for: "a1").progressText(in: .english))  // 0 of 1 requirement met
    #expect(check.state.text(in: .spanish) == "aún no cumplido")
    #expect(validator.report(for: "a1").progressText(in: .english) == "0 of 1 requirement met")
  }

  @Test func textsOfTheApp() {
    let own = ValidationLanguage.german.replacing { message in
      switch message {
      case .custom("taken", let names): "\(names[0]) ist vergeben"
      case .notEmpty: "Pflichtfeld"
      default: nil
      }
    }
    let pin = (Validator<String>.characters(in: .digits) && .count(4...6)).saying(.custom("pin"))
    #expect(pin.report(for: "").checks[0].text(in: own) == "pin")
    #expect(own.text(of: .custom("taken", ["anna"])) == "anna ist vergeben")

    let french = ValidationLanguage(code: "fr") { message, language in
      switch message {
      case .notEmpty: "Ne doit pas être vide"
      case .not(let message): "Pas : \(language.text(of: message))"
      default: nil
      }
    }
    let languages = ValidationLanguage.all + [french]
    print(ValidationLanguage.preferred(["fr_CA.UTF-8"], among: languages).code)  // fr
    #expect(ValidationLanguage.preferred(["fr_CA.UTF-8"], among: languages).code == "fr")
  }

  @Test func nist() throws {
    let directory = try TemporaryDirectory()
    let path = directory.url.appending(path: "list.txt").path
    let userName = "peter"
    try "password\n123456\n".write(toFile: path, atomically: true, encoding: .utf8)
    var blockList = try PasswordBlockList(contentsOf: path)
    blockList.insert(["Locket", userName])
    let validator: Validator<String> = .nist(
      blockList: blockList, maximum: 256,
      normalizing: \.precomposedStringWithCompatibilityMapping)
    let report = validator.report(for: "password")
    print(report.errors.map { $0.text(in: .english) })
    #expect(report.errors.count == 2)

    let rules = try PasswordRuleSet("required: upper; allowed: lower; maxlength: 20;")
    for contradiction in NIST.contradictions(of: rules) where contradiction.isMandatory {
      print(contradiction)
    }
    #expect(NIST.contradictions(of: rules).count == 4)
  }
}
