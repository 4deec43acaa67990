import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

struct SlotsTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
    try machine.store("tajny", "--service", "mail")
  }

  @Test func slotsAreAddedRenamedAndRemoved() throws {
    let passphrase = try machine.file("passphrase", "totoro\n")
    try expectSuccess("add", "passphrase", "--name", "Peter", "--new-passphrase-file", passphrase)
    try expectSuccess("rename", "2", "Petr")
    try expectSuccess("remove", "1")
    #expect(try list() == "2\tpassphrase\tPetr\n")
    let get = try machine.run(
      "secrets", "get", "--service", "mail", "--passphrase-file", passphrase)
    #expect(get.output == "tajny\n")
    let last = try machine.run(
      "secrets", "slots", "remove", "2", "--passphrase-file", passphrase)
    #expect(last.status == 2)
    #expect(last.errors.contains("is the last one"))
  }

  @Test func aKeyFileOpensTheVault() throws {
    let file = try machine.file("key", String(repeating: "key file ", count: 8))
    try expectSuccess("add", "key-file", "--new-key-file", file)
    try expectSuccess("remove", "1")
    let get = try machine.run("secrets", "get", "--service", "mail", "--key-file", file)
    #expect(get.output == "tajny\n")
    let other = try machine.file("other", String(repeating: "another file ", count: 8))
    let wrong = try machine.run("secrets", "get", "--service", "mail", "--key-file", other)
    #expect(wrong.status == 2)
    #expect(wrong.errors.contains("key file"))
  }

  @Test func bothOfTwoFactorsAreNeeded() throws {
    let key = try machine.file("key", String(repeating: "key file ", count: 8))
    let other = try machine.file("other", String(repeating: "another file ", count: 8))
    let passphrase = try machine.file("passphrase", "totoro\n")
    let both = ["two-factors", "--new-key-file", key, "--new-passphrase-file", passphrase]
    try expectSuccess(["add"] + both)
    try expectSuccess("remove", "1")
    #expect(try list() == "2\ttwo-factors key-file\ttwo-factors\n")
    let get = ["secrets", "get", "--service", "mail", "--passphrase-file", passphrase]
    #expect(try machine.run(get + ["--key-file", key], input: "").output == "tajny\n")
    let wrong = try machine.run(get + ["--key-file", other], input: "")
    #expect(wrong.status == 2 && wrong.errors.contains("The passphrase together with the key file"))
    let alone = try machine.run(get, input: "")
    #expect(
      alone.status == 2 && alone.errors.contains("needs a passphrase together with a key file"))

    let session = try PseudoTerminal(
      "secrets", "get", "--service", "mail", "--key-file", key, on: machine)
    try session.answer("Passphrase of the vault: ", "wrong")
    try session.answer("Passphrase of the vault: ", "totoro")
    #expect(try session.end() == 0)
    #expect(session.screen.hasSuffix("\r\ntajny\r\n"))

    let rotated = try machine.run(
      "secrets", "rotate", "--passphrase-file", passphrase, "--key-file", key)
    #expect(rotated.status == 0, "\(rotated.errors)")
    #expect(try machine.run(get + ["--key-file", key], input: "").output == "tajny\n")
  }

  @Test func aKeyIsDerivedByArgon2idWhereAsked() throws {
    let passphrase = try machine.file("passphrase", "totoro\n")
    let ended = try machine.run(
      "secrets", "passphrase", "--argon2id", "--new-passphrase-file", passphrase)
    #expect(ended.status == 0, "\(ended.errors)")
    guard case .passphrase(.argon2id)? = try machine.vault.slots.first?.kind else {
      Issue.record("\(try machine.vault.slots)")
      return
    }
    let get = try machine.run(
      "secrets", "get", "--service", "mail", "--passphrase-file", passphrase)
    #expect(get.output == "tajny\n")
  }

  @Test func aRecoveryCodeIsShownOnceAndTypedAnyhow() throws {
    let added = try machine.run("secrets", "slots", "add", "recovery-code")
    #expect(added.status == 0)
    let code = added.output.split(separator: "\n")[0]
    try expectSuccess("remove", "1")
    let session = try PseudoTerminal(
      "secrets", "get", "--service", "mail", "--recovery-code", on: machine)
    let typed = code.lowercased().filter { $0 != "-" }
    try session.answer("Recovery code of the vault: ", typed)
    #expect(try session.end() == 0)
    #expect(session.screen.hasSuffix("\r\ntajny\r\n"))
    let slip = try PseudoTerminal(
      "secrets", "get", "--service", "mail", "--recovery-code", on: machine)
    let letter = typed.first == "2" ? "3" : "2"
    try slip.answer("Recovery code of the vault: ", letter + typed.dropFirst())
    #expect(try slip.end() == 2)
    #expect(!slip.screen.contains("tajny"))
  }

  @Test func aPassphraseIsChangedInItsSlot() throws {
    let old = try machine.file("old", "totoro\n")
    let new = try machine.file("new", "kiki\n")
    try expectSuccess("add", "passphrase", "--new-passphrase-file", old)
    try expectSuccess(
      "change", "2", "--passphrase-file", old, "--new-passphrase-file", new)
    #expect(try list() == "1\tdevice\tthis device\n2\tpassphrase\tpassphrase\n")
    let wrong = try machine.run(
      "secrets", "slots", "change", "2", "--passphrase-file", old, "--new-passphrase-file", new)
    #expect(wrong.status == 2)
    #expect(wrong.errors.hasPrefix("locket: The passphrase is wrong."))
  }

  @Test(arguments: [
    ["add", "foo"], ["add", "key-file"], ["add", "credential"], ["add", "two-factors"],
    ["add", "two-factors", "--new-key-file", "key", "--credential", "name"], ["remove", "one"],
    ["remove"],
    ["rename", "1"],
  ])
  func unclearRequestsAreRefused(words: [String]) throws {
    let ended = try machine.run(["secrets", "slots"] + words, input: "")
    #expect(ended.status == 2)
    #expect(ended.errors.contains("\n`locket help secrets slots"))
    #expect(try list() == "1\tdevice\tthis device\n")
  }

  @Test func absentSlotsAndCredentialsAreNamed() throws {
    let slot = try machine.run("secrets", "slots", "remove", "77")
    #expect(slot.errors == "locket: The vault has no slot 77.\n")
    let credential = try machine.run(
      "secrets", "slots", "add", "credential", "--credential", "vault-key")
    #expect(credential.status == 2)
    #expect(credential.errors.contains("systemd did not provide the credential vault-key"))
  }

  @Test func rotationKeepsTheSlotsThatAreGivenOrAtHand() throws {
    let passphrase = try machine.file("passphrase", "totoro\n")
    try expectSuccess("add", "passphrase", "--new-passphrase-file", passphrase)
    try expectSuccess("add", "recovery-code")
    let before = try Data(contentsOf: machine.vaultFile)
    let refused = try machine.run("secrets", "rotate", "--passphrase-file", passphrase)
    #expect(refused.status == 2)
    #expect(refused.errors.contains(#""recovery-code""#))
    #expect(try Data(contentsOf: machine.vaultFile) == before)
    let done = try machine.run(
      "secrets", "rotate", "--passphrase-file", passphrase, "--drop-others")
    #expect(done.status == 0)
    // The progress is for a terminal.
    #expect(done.errors == "")
    #expect(try list() == "1\tdevice\tthis device\n2\tpassphrase\tpassphrase\n")
    #expect(try machine.run("secrets", "get", "--service", "mail").output == "tajny\n")
  }

  @Test func progressIsShownOnATerminalAndClearedAtTheEnd() throws {
    let session = try PseudoTerminal("secrets", "rotate", on: machine)
    #expect(try session.end() == 0)
    #expect(session.screen.contains("Rotating [########################################] 100 %"))
    #expect(session.screen.hasSuffix("\r\u{1B}[K"))
  }

  private func list() throws -> String { try machine.run("secrets", "slots").output }

  private func expectSuccess(_ words: String...) throws { try expectSuccess(words) }

  private func expectSuccess(_ words: [String]) throws {
    let ended = try machine.run(["secrets", "slots"] + words, input: "")
    #expect(ended.status == 0, "\(ended.errors)")
  }
}
