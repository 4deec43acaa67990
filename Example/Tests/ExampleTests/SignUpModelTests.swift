import PasswordRules
import SecretStorage
import Testing
import Validation

@testable import Example

struct SignUpModelTests {
  private let machine: Machine
  private let vault: SecretVault

  init() throws {
    machine = try Machine()
    vault = machine.vault
  }

  private func model(_ rules: String) throws -> SignUpModel {
    let rules = try PasswordRuleSet(rules)
    return SignUpModel(
      rules: rules, generator: try PasswordGenerator(rules),
      service: NameService(site: "example.org", vault: vault), clock: StoppedClock())
  }

  @Test(arguments: [
    "minlength: 1", "required: upper; required: digit; maxlength: 2", "allowed: [ab]; maxlength: 8",
    "required: lower; required: special; max-consecutive: 1; minlength: 20",
  ])
  func suggestionIsValid(rules: String) throws {
    let model = try model(rules)
    model[.userName].value = "aab"
    for _ in 0..<50 {
      let password = try #require(model.suggestion())
      #expect(!password.lowercased().contains("aab"))
      model[.password].value = password
      model[.repetition].value = password
      #expect(model[.password].isValid && model[.repetition].isValid)
    }
  }

  @Test func noSuggestionWithoutAPossiblePassword() throws {
    let model = try model("allowed: [a]; minlength: 4")
    #expect(model.suggestion() != nil)
    model[.userName].value = "aaa"
    #expect(model.suggestion() == nil)
  }

  @Test func firstInvalidFieldNeedsAttention() async throws {
    let model = try model("minlength: 4")
    #expect(model.attention == .userName)
    model[.userName].value = "chihiro"
    _ = await model[.userName].validate()
    #expect(model.attention == .password)
    model[.password].value = "totoro"
    #expect(model.attention == .repetition)
    model[.repetition].value = "totoro"
    #expect(model.attention == nil && model.form.isValid)
    // The repetition depends on the first password, and the password on the name.
    model[.password].value = "totoros"
    #expect(model.attention == .repetition)
    model[.userName].value = "toro"
    #expect(model.attention == .password)
  }

  @Test func undeterminedCheckIsRepeated() async throws {
    try await machine.store("x", site: "example.org", account: "kiki")
    _ = try machine.lock()
    let model = try model("minlength: 1")
    model[.userName].value = "chihiro"
    #expect(await model[.userName].validate().state == .undetermined)
    try vault.unlock(with: .passphrase(Secret("totoro".utf8)))
    model.askAgain()
    #expect(model[.userName].report.state == .pending)
    #expect(await model[.userName].validate().isValid)
  }
}
