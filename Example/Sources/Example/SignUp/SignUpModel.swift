import PasswordRules
import Validation

/// What the person has filled in so far, and what is right and missing in it.
final class SignUpModel: Sendable {
  /// The codes of what is demanded here alone: that the name is free at a site, which is the
  /// parameter, and that it does not occur in the password.
  static let (freeCode, withoutNameCode) = ("free", "withoutName")

  private static let attempts = 100

  let form: ValidationForm
  private let fields: [ValidatedField<String>]
  private let generator: PasswordGenerator
  /// What may be offered is tried here: it passes the checks that the person's own password passes.
  private let candidate: ValidatedField<String>

  /// The generator is one of the same rules.
  init(rules: PasswordRuleSet, generator: PasswordGenerator, service: NameService) {
    self.generator = generator
    let userName = ValidatedField(
      "", .count(3...64) && .trimmed,
      asynchronously: [
        AsynchronousCheck("free", .custom(Self.freeCode, [service.site])) { name in
          try await service.isTaken(name) ? .rejected() : .satisfied
        }
      ])
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

  /// The first field that the person has to do something about.
  var attention: SignUpField? {
    let id = form.firstNeedingAttention?.id
    return SignUpField.allCases.first { self[$0].id == id }
  }

  /// Makes the check again that had no answer, as if the name were typed anew.
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
