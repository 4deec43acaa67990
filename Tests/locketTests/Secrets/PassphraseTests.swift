import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

struct PassphraseTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
    try machine.store("tajny", "--service", "mail")
  }

  @Test func aVaultWithAPassphraseOpensWithItAlone() throws {
    let passphrase = try machine.lock()
    let without = try machine.run("secrets", "get", "--service", "mail")
    #expect(without.status == 2)
    #expect(without.output == "")
    #expect(
      without.errors == """
        locket: The vault is locked, and there is no terminal for a prompt. Specify a file with its \
        passphrase: --passphrase-file FILE.

        """)
    let with = try machine.run(
      "secrets", "get", "--service", "mail", "--passphrase-file", passphrase)
    #expect(with.status == 0)
    #expect(with.output == "tajny\n")
  }

  @Test(arguments: [
    ["list"], ["get", "--service", "mail"], ["set", "--service", "mail"],
    ["delete", "--service", "mail"], ["verify"], ["repair"], ["passphrase"], ["rotate"],
    ["slots", "remove", "1"], ["slots", "rename", "1", "name"], ["slots", "add", "device"],
    ["export", "/nowhere"], ["import", "/nowhere"],
  ])
  func everyCommandNeedsThePassphrase(command: [String]) throws {
    _ = try machine.lock()
    let wrong = try machine.file("wrong", "tortoro\n")
    let before = try Data(contentsOf: machine.vaultFile)
    let ended = try machine.run(
      ["secrets"] + command + ["--passphrase-file", wrong], input: "new")
    #expect(ended.status == 2)
    #expect(ended.errors.hasPrefix("locket: The passphrase is wrong."))
    #expect(try Data(contentsOf: machine.vaultFile) == before)
  }

  @Test func aPassphraseIsChanged() throws {
    let old = try machine.lock()
    let new = try machine.file("new", "kiki\n")
    let change = try machine.run(
      "secrets", "passphrase", "--passphrase-file", old, "--new-passphrase-file", new)
    #expect(change.status == 0)
    let get = ["secrets", "get", "--service", "mail", "--passphrase-file"]
    #expect(try machine.run(get + [old], input: "").status == 2)
    #expect(try machine.run(get + [new], input: "").output == "tajny\n")
  }

  @Test func aPassphraseIsRemovedOnce() throws {
    let passphrase = try machine.lock()
    let remove = ["secrets", "passphrase", "--remove", "--passphrase-file", passphrase]
    #expect(try machine.run(remove, input: "").status == 0)
    #expect(try machine.run("secrets", "get", "--service", "mail").output == "tajny\n")
    let again = try machine.run(remove, input: "")
    #expect(again.status == 1)
    #expect(again.errors == "locket: The vault has no passphrase.\n")
  }

  @Test func aNewPassphraseNeedsATerminalOrAFile() throws {
    let ended = try machine.run("secrets", "passphrase")
    #expect(ended.status == 2)
    #expect(ended.errors.contains("--new-passphrase-file"))
    let empty = try machine.file("empty", "\n")
    let refused = try machine.run("secrets", "passphrase", "--new-passphrase-file", empty)
    #expect(refused.status == 2)
    #expect(refused.errors == "locket: A passphrase must not be empty.\n")
    let missing = try machine.run("secrets", "passphrase", "--new-passphrase-file", "/nowhere")
    #expect(missing.status == 2)
    #expect(missing.errors.contains("/nowhere cannot be opened: No such file or directory"))
  }

  @Test func thePassphraseComesFromTheTerminalWhileTheSecretComesFromAPipe() throws {
    _ = try machine.lock()
    let script = "printf piped | \"$0\" secrets set --service mail && \"$0\" secrets list"
    let session = try PseudoTerminal(["/bin/sh", "-c", script, Machine.executable], on: machine)
    try session.answer("Passphrase of the vault: ", "totoro")
    try session.answer("Passphrase of the vault: ", "totoro")
    #expect(try session.end() == 0)
    #expect(session.screen.contains("--service mail"))
    #expect(!session.screen.contains("totoro"))
    let vault = machine.vault
    try vault.unlock(with: .passphrase(Secret("totoro".utf8)))
    @GenericPassword(service: "mail", in: vault) var password: String?
    #expect(password == "piped")
  }

  @Test func aWrongPassphraseMayBeTypedTwice() throws {
    _ = try machine.lock()
    let session = try PseudoTerminal("secrets", "get", "--service", "mail", on: machine)
    for passphrase in ["wrong", "", "totoro"] {
      try session.answer("Passphrase of the vault: ", passphrase)
    }
    #expect(try session.end() == 0)
    #expect(session.screen.hasSuffix("\r\ntajny\r\n"))
    #expect(session.screen.split(separator: "The passphrase is wrong.").count == 3)
  }

  @Test func thirdWrongPassphraseIsTheLast() throws {
    _ = try machine.lock()
    let session = try PseudoTerminal("secrets", "get", "--service", "mail", on: machine)
    for _ in 1...3 { try session.answer("Passphrase of the vault: ", "wrong") }
    #expect(try session.end() == 2)
    #expect(!session.screen.contains("tajny"))
  }

  @Test func aPassphraseIsTypedTwiceTheSame() throws {
    let differing = try PseudoTerminal("secrets", "passphrase", on: machine)
    try differing.answer("New passphrase: ", "totoro")
    try differing.answer("Repeat it: ", "tortoro")
    #expect(try differing.end() == 2)
    #expect(differing.screen.contains("The two entries differ."))
    #expect(try machine.vault.hasPassphrase == false)

    let session = try PseudoTerminal("secrets", "passphrase", on: machine)
    try session.answer("New passphrase: ", "totoro")
    try session.answer("Repeat it: ", "totoro")
    #expect(try session.end() == 0)
    #expect(!session.screen.contains("totoro"))
    #expect(try machine.vault.hasPassphrase == true)
  }
}
