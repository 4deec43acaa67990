import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

final class PassphraseTests: ToolTests {
  private static let get = "secrets get --service mail"
  private static let prompt = "Passphrase of the vault: "

  override init() throws {
    try super.init()
    try machine.store("tajny", "--service mail")
  }

  @Test func passphraseFileOpensTheVault() throws {
    _ = try machine.lock()
    try expectTranscript()
  }

  /// With a key file, because a passphrase takes time.
  @Test func everyCommandNeedsTheKey() throws {
    _ = try machine.lockByKeyFile()
    try expectTranscript()
  }

  @Test func lockedVaultNamesOptionsOfItsKeys() throws {
    let key = try machine.lockByKeyFile()
    try expectTranscript()
    let vault = machine.vault
    try vault.unlock(with: .keyFile(URL(filePath: key)))
    try vault.addSlot(.passphrase(Secret("totoro")), named: "passphrase", cost: .minimum)
    let ended = try machine.run(Self.get)
    #expect(ended.errors.contains("with its key: --passphrase-file FILE or --key-file FILE.\n"))
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
