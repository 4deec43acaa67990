import PasswordRules
import Testing
import Validation

struct CombiningTests {
  private static let either: Validator<String> = .prefix("+") && .count(...4) || .email

  @Test func eitherHoldsIfOneValidatorHolds() {
    let marks = Self.either.marks("", "+", "+1234", "+12 4", "a@b", "x x", "x")
    #expect(marks == ". + . ! + ! .")
  }

  @Test func alternativesAreOneMessage() {
    let three: Validator<String> = .notEmpty || .email || .singleLine
    #expect(
      three.report(for: "").checks.map(\.requirement) == [
        .either([.notEmpty, .email, .singleLine])
      ])
    #expect(
      Self.either.report(for: "").checks[0].text(in: .english)
        == "Begins with “+” and At most 4 characters or An email address")
  }

  @Test func negationInvertsStates() {
    let validator: Validator<String> = !.contains(of: .digits)
    #expect(["", "a", "a1"].map { validator.report(for: $0).marks } == ["+", "+", "!"])
    #expect(validator.report(for: "1").checks[0].text(in: .english) == "Not: At least 1 digit")
    #expect((!validator).report(for: "1").checks[0].requirement == .minimumOf(1, [.digits]))
  }

  @Test func recommendationsDoNotCount() {
    let validator: Validator<String> = .notEmpty && (.count(8...) && .email).recommended
    let report = validator.report(for: "a")
    #expect(report.isValid)
    #expect(report.progress == 1)
    #expect(report.errors.isEmpty)
    #expect(report.recommendations.map(\.id.name) == ["minimumCount", "email"])
    // Recommendations within combined requirements do not count either.
    let combined: Validator<String> = !(.notEmpty && .email.recommended)
    #expect(combined.report(for: "a").marks == "!")
    #expect(combined.report(for: "a").checks[0].requirement == .not(.notEmpty))
  }

  @Test func firstMessageIsThatOfTheFirstFailedCheck() {
    let port = Validator.in(1...65535).firstMessage
    #expect([0, 1, 65535, 65536].map(port) == ["At least 1", nil, nil, "At most 65535"])
    // The requirement says what is allowed; the advice is to remove a character.
    let name: Validator<String> = .count(8...).recommended && .count(...2) && .trimmed
    #expect(name.firstMessage(" abc") == "At most 2 characters")
    #expect(name.firstMessage(" a") == "No white space at the beginning or end")
    #expect(name.firstMessage("ab") == nil)
    // A value that was not checked is not known to be valid.
    let unchecked: Validator<String> = .custom("code", .custom("code")) { _ in .pending }
    #expect(unchecked.firstMessage("") == "code")
  }

  @Test func checksHaveNamesAndOrdinals() {
    let validator: Validator<String> =
      .contains(of: .digits) && .contains(of: .upper) && .contains(of: .lower).named("small")
      && (.notEmpty && .email).named("small")
    let identities = validator.report(for: "").checks.map { "\($0.id.name) \($0.id.ordinal)" }
    #expect(identities == ["contains 0", "contains 1", "small 0", "small 1", "small 2"])
  }

  @Test func customMessageReplacesRequirement() {
    let validator: Validator<String> =
      .notEmpty
      && (.characters(in: .digits) && .count(4...6))
        .saying(.custom("pin"), advising: .custom("pin.advice", ["4", "6"]))
    let report = validator.report(for: "1x")
    #expect(report.marks == "+!")
    #expect(report.checks[1].requirement == .custom("pin"))
    #expect(report.checks[1].advice == .custom("pin.advice", ["4", "6"]))
    #expect(report.checks[1].positions == [1..<2])
    #expect(validator.report(for: "12").marks == "+.")
    #expect(validator.report(for: "1234").checks[1].advice == nil)
  }

  @Test func partsOfAValueAreChecked() {
    struct Account {
      var name = ""
      var age = 0
    }
    let validator: Validator<Account> =
      .at(\.name, .notEmpty && .count(...3)) && .at(\.age, .atLeast(18))
      && .at({ $0.name + "!" }, .count(...4))
    #expect(validator.report(for: Account()).marks == ".+.+")
    #expect(validator.report(for: Account(name: "anna", age: 20)).marks == "+!+!")
  }

  @Test func customChecksAreSupported() {
    let even: Validator<Int> = .custom("even", .custom("even"), advice: .custom("add one")) {
      $0 % 2 == 0
    }
    #expect([1, 2].map { even.report(for: $0).marks } == [".", "+"])
    #expect([1, 2].map { even.report(for: $0).checks[0].advice } == [.custom("add one"), nil])
    let broken: Validator<Int> = .custom("even", .custom("even"), failure: .violated) {
      $0 % 2 == 0
    }
    #expect(broken.report(for: 1).marks == "!")
    let own: Validator<Int> = .custom("sign", .custom("sign")) {
      $0 < 0 ? .violated : $0 == 0 ? .incomplete : .satisfied
    }
    #expect([-1, 0, 1].map { own.report(for: $0).marks } == ["!", ".", "+"])
  }
}
