import PasswordRules
import SecretStorage
import Testing
import Validation

@testable import Example

struct SignUpDialogueTests {
  private static let saved =
    "The password of chihiro at example.org is saved.\nA second process has read it back.\n"

  private let machine: Machine

  init() throws { machine = try Machine() }

  private func signUp(_ input: String, _ options: String...) throws -> Ended {
    try machine.run(
      ["signup", "--site", SignUpSession.site, "--rules", SignUpSession.rules] + options,
      input: input)
  }

  @Test func scriptedAnswersAreSaved() throws {
    let ended = try signUp("chihiro\nTotoro7\nTotoro7\n")
    #expect(ended.status == 0 && ended.output == Self.saved)
    #expect(
      ended.errors == """
        New account at example.org
        User name:\u{20}
          4 of 11 requirements met
        Password (an empty line takes a generated one):\u{20}
          9 of 11 requirements met
        Repeat password:\u{20}
          11 of 11 requirements met

        """)
    #expect(try machine.password() == "Totoro7")
  }

  @Test func invalidAnswerIsAskedForAgain() async throws {
    try await machine.store("x", site: SignUpSession.site, account: "kiki")
    let ended = try signUp("ki\nkiki\nchihiro\nchihiro1\nTotoro7\nTotoro8\nTotoro7\nTotoro7\n")
    #expect(ended.status == 0 && ended.output == Self.saved)
    let complaints = ended.errors.split(separator: "\n").filter {
      $0.contains(": ") && $0.first == " "
    }
    #expect(
      complaints == [
        "  not met yet: Add 1 character", "  to be corrected: Not taken yet at example.org",
        "  not met yet: Add 1 uppercase letter A–Z",
        "  to be corrected: Must not contain the user name",
        "  to be corrected: Must match the other field",
      ])
    #expect(!ended.errors.contains("otoro"))
    #expect(try machine.password() == "Totoro7")
  }

  @Test func emptyLineTakesAGeneratedPassword() throws {
    let ended = try signUp("chihiro\n\n")
    #expect(ended.status == 0 && ended.output == Self.saved)
    let password = try #require(try machine.password())
    #expect(try PasswordRuleSet(SignUpSession.rules).isSatisfied(by: password))
    #expect(!"\(ended)".contains(password))
  }

  @Test(arguments: ["", "chihiro", "chihiro\nTotoro7\n"])
  func endOfInputIsAnErrorAndSavesNothing(input: String) throws {
    let ended = try signUp(input)
    #expect(ended.status == 1 && ended.output == "")
    #expect(
      ended.errors.hasSuffix(
        "Example: The input ended before the account was complete. Nothing was saved.\n"))
    #expect(try machine.password() == nil)
  }

  @Test(arguments: ["chi\u{1B}ro\n\n", "chihiro\r\n\r\n", "chihiro\nTotoro\t7\nTotoro\t7\n"])
  func controlCharacterIsAnError(input: String) throws {
    let ended = try signUp(input)
    #expect(ended.status == 1 && ended.output == "")
    #expect(ended.errors.hasSuffix("has a control character, and nothing was saved.\n"))
  }

  @Test(arguments: SignUpTexts.all.map(\.checks.code))
  func everyLanguageHasTexts(code: String) throws {
    let ended = try signUp("ch\nchihiro\nTotoro7\nTotoro7\n", "--language", code)
    #expect(ended.status == 0)
    let isEnglish = code == "en"
    #expect(ended.errors.contains("Add 1 character") == isEnglish)
    #expect((ended.output == Self.saved) == isEnglish)
  }

  @Test func localeDecidesTheLanguage() throws {
    for (locale, label) in [
      ("de_AT.UTF-8", "Benutzername"), ("de_AT", "User name"), ("C", "User name"),
    ] {
      let ended = try machine.run(
        [machine.executable, "signup"], environment: machine.environment(with: ["LANG=\(locale)"]))
      #expect(ended.errors.contains("\n\(label): "), "\(locale)")
    }
  }

  @Test(arguments: [
    ["--rules", "required: foo"], ["--rules", "minlength: 9; maxlength: 8"], ["--site", ""],
    ["--site", "a b"], ["--language", "tlh"], ["Totoro7"],
  ])
  func misuseIsAnErrorBeforeTheFirstQuestion(options: [String]) throws {
    let ended = try machine.run(["signup"] + options, input: "chihiro\n\n")
    #expect(ended.status == 2 && ended.output == "")
    #expect(ended.errors.contains("Usage: Example ") && !ended.errors.contains("User name"))
    #expect(!ended.errors.contains("Totoro7"))
    #expect(!machine.exists(".local"))
  }

  @Test(arguments: [
    (["--vault", "/dev/null/vault"], "Not a directory"),
    // No file can be made there, of which reading tells nothing.
    (["--vault", "/proc/vault"], "open of /proc/vault.lock failed"),
    (["--passphrase-file", "/nonexistent"], "nonexistent"), ([], "There is no terminal to ask on"),
  ])
  func unusableVaultIsAnErrorBeforeTheFirstQuestion(options: [String], reason: String) throws {
    _ = try machine.lock()
    let ended = try machine.run(["signup"] + options, input: "chihiro\n\n")
    #expect(ended.status == 1 && ended.output == "")
    #expect(ended.errors.hasPrefix("Example: ") && ended.errors.contains(reason))
    #expect(!ended.errors.contains("User name"))
  }

  @Test func optionsOpenTheVaultForBothProcesses() throws {
    let passphrase = try machine.lock()
    let ended = try signUp("chihiro\nTotoro7\nTotoro7\n", "--passphrase-file", passphrase)
    #expect(ended.status == 0 && ended.output == Self.saved)
    let vault = machine.vault
    #expect(try vault.isLocked)
    try vault.unlock(with: .passphrase(Secret("totoro".utf8)))
    let items = try vault.items(matching: .all)
    #expect(items.map(\.identity) == [.internet(server: "example.org", account: "chihiro")])
    #expect(items.map(\.attributes.label) == ["example.org"])
  }

  @Test func dumbTerminalIsAskedLineByLine() throws {
    let session = try DisplayedSession("signup --site", SignUpSession.site, on: machine)
    try session.waitForText("User name: ")
    try session.type("chihiro\n")
    try session.waitForPrompt("takes a generated one): ")
    try session.type("Totoro7Totoro\n")
    try session.answer("Repeat password: ", "Totoro7Totoro")
    #expect(try session.end() == 0)
    #expect(session.isGivenBack && !session.screen.contains("otoro"))
    #expect(try machine.password() == "Totoro7Totoro")
  }
}
