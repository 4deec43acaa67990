import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

struct SlotsTests {
  private static let get = "secrets get --service mail"

  private let machine: Machine

  init() throws {
    machine = try Machine()
    try machine.store("tajny", "--service mail")
  }

  private var slots: String { get throws { try machine.output("secrets slots") } }

  @Test func slotsAreAddedRenamedAndRemoved() throws {
    let key = try machine.file("key", String(repeating: "key file ", count: 8))
    try machine.output("secrets slots add key-file --name Peter --new-key-file", key)
    try machine.output("secrets slots rename 2 Petr")
    try machine.output("secrets slots remove 1")
    #expect(try slots == "2\tkey-file\tPetr\n")
    #expect(try machine.output("\(Self.get) --key-file", key) == "tajny\n")
    let last = try machine.run("secrets slots remove 2 --key-file", key)
    #expect(last.status == 2)
    #expect(last.errors.contains("is the last one"))
    let other = try machine.file("other", String(repeating: "another file ", count: 8))
    let wrong = try machine.run("\(Self.get) --key-file", other)
    #expect(wrong.status == 2)
    #expect(wrong.errors.contains("key file"))
  }

  @Test func recoveryCodeMayBeTypedInLowercase() throws {
    let added = try machine.output("secrets slots add recovery-code")
    try machine.output("secrets slots remove 1")
    let typed = added.split(separator: "\n")[0].lowercased().filter { $0 != "-" }
    let slip: String = (typed.first == "2" ? "3" : "2") + typed.dropFirst()
    for (code, status) in [(typed, 0), (slip, 2)] {
      let session = try PseudoTerminal("\(Self.get) --recovery-code", on: machine)
      try session.answer("Recovery code of the vault: ", code)
      #expect(try session.end() == Int32(status))
      #expect(session.screen.hasSuffix("\r\ntajny\r\n") == (status == 0))
      #expect(session.screen.contains("tajny") == (status == 0))
    }
  }

  @Test func passphraseOfASlotIsChanged() throws {
    let old = try machine.file("old", "totoro\n")
    let new = try machine.file("new", "kiki\n")
    try machine.output("secrets slots add passphrase --new-passphrase-file", old)
    let change = "secrets slots change 2 --passphrase-file \(old) --new-passphrase-file"
    try machine.output(change, new)
    #expect(try slots == "1\tdevice\tthis device\n2\tpassphrase\tpassphrase\n")
    let wrong = try machine.run(change, new)
    #expect(wrong.status == 2)
    #expect(wrong.errors.hasPrefix("locket: The passphrase is wrong."))
  }

  @Test func absentSlotsAndCredentialsAreErrors() throws {
    let slot = try machine.run("secrets slots remove 77")
    #expect(slot.errors == "locket: The vault has no slot 77.\n")
    let credential = try machine.run("secrets slots add credential --credential vault-key")
    #expect(credential.status == 2)
    #expect(credential.errors.contains("systemd did not provide the credential vault-key"))
  }

  @Test func rotationKeepsSlotsWithKnownKeys() throws {
    try machine.vault.addSlot(
      .passphrase(Secret("totoro".utf8)), named: "passphrase", cost: .minimum)
    try machine.output("secrets slots add recovery-code")
    let passphrase = try machine.file("passphrase", "totoro\n")
    let before = try Data(contentsOf: machine.vaultFile)
    let refused = try machine.run("secrets rotate --passphrase-file", passphrase)
    #expect(refused.status == 2)
    #expect(refused.errors.contains(#""recovery-code""#))
    #expect(refused.errors.contains("`locket secrets rotate --drop-others`"))
    #expect(try Data(contentsOf: machine.vaultFile) == before)
    // The progress is for a terminal.
    try machine.output("secrets rotate --drop-others --passphrase-file", passphrase)
    #expect(try slots == "1\tdevice\tthis device\n2\tpassphrase\tpassphrase\n")
    #expect(try machine.output(Self.get) == "tajny\n")
  }

  @Test func progressIsClearedAtTheEnd() throws {
    let session = try PseudoTerminal("secrets rotate", on: machine)
    #expect(try session.end() == 0)
    #expect(session.screen.contains("Rotating [########################################] 100 %"))
    #expect(session.screen.hasSuffix("\r\u{1B}[K"))
  }
}
