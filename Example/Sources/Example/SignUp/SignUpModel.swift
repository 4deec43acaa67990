import PasswordRules
import SecretStorage
import Validation

/// A field of the sign-up.
enum SignUpField: Int, CaseIterable {
  case userName, password, repetition

  var isSecret: Bool { self != .userName }

  var next: SignUpField? { SignUpField(rawValue: rawValue + 1) }
  var previous: SignUpField? { SignUpField(rawValue: rawValue - 1) }
}

/// The fields of the sign-up, and the checks on them.
final class SignUpModel: Sendable {
  /// The codes of the app's own requirements: that the name is free at a site, which is the
  /// parameter, and that it does not occur in the password.
  static let (freeCode, withoutNameCode) = ("free", "withoutName")

  private static let attempts = 100

  let form: ValidationForm
  private let fields: [ValidatedField<String>]
  private let generator: PasswordGenerator
  /// The field in which offers are checked as the user's own password is.
  private let candidate: ValidatedField<String>

  /// The generator must have the same rules.
  ///
  /// The clock measures the pause before a name is checked, and how long the answer may take.
  init(
    rules: PasswordRuleSet, generator: PasswordGenerator, service: NameService,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.generator = generator
    let userName = ValidatedField(
      "", .count(3...64) && .trimmed,
      asynchronously: [
        AsynchronousCheck("free", .custom(Self.freeCode, [service.site])) { name in
          try await service.isTaken(name) ? .rejected() : .satisfied
        }
      ], clock: clock)
    let passwords = [0, 1].map { _ in
      let password = ValidatedField("", .password(rules))
      password.require(.notContaining(userName, saying: .custom(Self.withoutNameCode)))
      return password
    }
    candidate = passwords[1]
    let repetition = ValidatedField("", .notEmpty)
    repetition.require(.equal(to: passwords[0]))
    fields = [userName, passwords[0], repetition]
    form = ValidationForm(fields)
  }

  subscript(field: SignUpField) -> ValidatedField<String> { fields[field.rawValue] }

  /// The first field that is not valid.
  var attention: SignUpField? {
    let id = form.firstNeedingAttention?.id
    return SignUpField.allCases.first { self[$0].id == id }
  }

  /// Repeats the check that had no answer, as if the name were typed again.
  func askAgain() {
    let name = self[.userName]
    name.value = name.value
  }

  /// A password that satisfies every check; nil when the user name leaves none.
  func suggestion() -> String? {
    for _ in 0..<Self.attempts {
      let password = generator.password()
      candidate.value = password
      if candidate.isValid { return password }
    }
    return nil
  }
}

/// A stand-in for the service of the account: it takes a moment to answer, and the names that the
/// vault has for its site are taken.
struct NameService: Sendable {
  private static let delay = Duration.milliseconds(200)

  let site: String
  let vault: SecretVault

  /// Whether the name is taken; the case of letters does not count.
  func isTaken(_ name: String) async throws -> Bool {
    try await Task.sleep(for: Self.delay)
    return try vault.items(matching: .matching(.internet(server: site))).contains {
      $0.identity.account?.lowercased() == name.lowercased()
    }
  }
}

/// A check as the form shows it.
struct ShownCheck: Equatable {
  var text: String
  var state: ValidationCheck.State
}

extension ValidationReport {
  /// The checks in words: what to do, or the requirements as long as the field was not visited.
  func shown(in language: ValidationLanguage) -> [ShownCheck] {
    checks.map { check in
      isTouched
        ? ShownCheck(text: check.text(in: language), state: check.state)
        : ShownCheck(
          text: check.requirement.text(in: language),
          state: check.state == .satisfied ? .satisfied : .waiting)
    }
  }
}
