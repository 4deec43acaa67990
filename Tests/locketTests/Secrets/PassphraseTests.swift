import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

struct PassphraseTests {
  private static let get = "secrets get --service mail"
  private static let prompt = "Passphrase of the vault: "

  private let machine: Machine

  init() throws {
    machine = try Machine()
    try machine.store("tajny", "--service mail")
  }

  @Test func passphraseFileOpensTheVault() throws {
    let passphrase = try machine.lock()
    let without = try machine.run(Self.get)
    #expect(without.status == 2 && without.output == "")
    #expect(
      without.errors == """
        locket: The vault is locked, and there is no terminal for a prompt. Specify a file with its key: \
        --passphrase-file FILE.

        """)
    #expect(try machine.output("\(Self.get) --passphrase-file", passphrase) == "tajny\n")
    let fromWindows = try machine.file("windows", "totoro\r\n")
    #expect(try machine.output("\(Self.get) --passphrase-file", fromWindows) == "tajny\n")
    let wrong = try machine.run("\(Self.get) --passphrase-file", machine.file("wrong", "tortoro\n"))
    #expect(wrong.status == 2)
    #expect(wrong.errors.hasPrefix("locket: The passphrase is wrong."))

    let remove = "secrets passphrase --remove --passphrase-file"
    try machine.output(remove, passphrase)
    #expect(try machine.output(Self.get) == "tajny\n")
    let again = try machine.run(remove, passphrase)
    #expect(again.status == 1)
    #expect(again.errors == "locket: The vault has no passphrase.\n")
  }

  /// With a key file, because a passphrase takes time.
  @Test func everyCommandNeedsTheKey() throws {
    _ = try machine.lockByKeyFile()
    let wrong = try machine.file("wrong", String(repeating: "wrong key ", count: 8))
    let before = try Data(contentsOf: machine.vaultFile)
    for command in [
      "list", "get --service mail", "set --service mail", "delete --service mail", "verify",
      "repair", "passphrase", "rotate", "slots remove 1", "slots rename 1 name",
      "slots add device", "export /nowhere", "import /nowhere",
    ] {
      let ended = try machine.run("secrets \(command) --key-file", wrong, input: "new")
      #expect(ended.status == 2, "\(command)")
      #expect(ended.errors.hasPrefix("locket: The key file at \(wrong) "), "\(ended.errors)")
      #expect(try Data(contentsOf: machine.vaultFile) == before)
    }
  }

  @Test func lockedVaultNamesOptionsOfItsKeys() throws {
    let key = try machine.lockByKeyFile()
    let variables = try machine.file("variables", "A=1\n")
    for command in [Self.get, "secrets rotate", "migrate env --service app \(variables)"] {
      #expect(
        try machine.run(command).errors
          == "locket: The vault is locked. Unlock it with its key file. Specify --key-file FILE.\n")
    }
    let vault = machine.vault
    try vault.unlock(with: .keyFile(URL(filePath: key)))
    try vault.addSlot(.passphrase(Secret("totoro")), named: "passphrase", cost: .minimum)
    let ended = try machine.run(Self.get)
    #expect(ended.errors.contains("with its key: --passphrase-file FILE or --key-file FILE.\n"))
  }

  @Test func newPassphraseNeedsATerminalOrAFile() throws {
    let ended = try machine.run("secrets passphrase")
    #expect(ended.status == 2)
    #expect(ended.errors.contains("--new-passphrase-file"))
    let change = "secrets passphrase --new-passphrase-file"
    let refused = try machine.run(change, machine.file("empty", "\n"))
    #expect(refused.status == 2)
    #expect(refused.errors == "locket: A passphrase must not be empty.\n")
    let missing = try machine.run("\(change) /nowhere")
    #expect(missing.status == 2)
    #expect(missing.errors.contains("/nowhere cannot be opened: No such file or directory"))
  }

  @Test func passphraseIsTypedWhileTheSecretIsPiped() throws {
    _ = try machine.lock()
    let script = "printf piped | \"$0\" secrets set --service mail && \"$0\" secrets list"
    let session = try PseudoTerminal(["/bin/sh", "-c", script, machine.executable], on: machine)
    for _ in 1...2 { try session.answer(Self.prompt, "totoro") }
    #expect(try session.end() == 0)
    #expect(session.screen.contains("--service mail"))
    #expect(!session.screen.contains("totoro"))
    let vault = machine.vault
    try vault.unlock(with: .passphrase(Secret("totoro".utf8)))
    @GenericPassword(service: "mail", in: vault) var password: String?
    #expect(password == "piped")
  }

  @Test(arguments: [["wrong", "", "totoro"], ["wrong", "wrong", "wrong"]])
  func passphraseMayBeTypedThreeTimes(entries: [String]) throws {
    _ = try machine.lock()
    let session = try PseudoTerminal(Self.get, on: machine)
    for passphrase in entries { try session.answer(Self.prompt, passphrase) }
    let isRight = entries.last == "totoro"
    #expect(try session.end() == (isRight ? 0 : 2))
    #expect(session.screen.hasSuffix("\r\ntajny\r\n") == isRight)
    #expect(session.screen.ranges(of: "The passphrase is wrong.").count == (isRight ? 2 : 3))
  }

  @Test func newPassphraseIsTypedTwice() throws {
    let old = try machine.lock()
    let new = try machine.file("new", "kiki\n")
    for (repetition, status) in [("kikki", 2), ("kiki", 0)] as [(String, Int32)] {
      let session = try PseudoTerminal("secrets passphrase --passphrase-file", old, on: machine)
      try session.answer("New passphrase: ", "kiki")
      try session.answer("Repeat it: ", repetition)
      #expect(try session.end() == status)
      #expect(session.screen.contains("The two entries differ.") == (status == 2))
      #expect(!session.screen.contains("kik"))
      let current = status == 0 ? new : old
      #expect(try machine.output("\(Self.get) --passphrase-file", current) == "tajny\n")
    }
    #expect(try machine.run("\(Self.get) --passphrase-file", old).status == 2)
  }
}
