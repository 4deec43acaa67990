import SecretStorage
import TestSupport
import Testing

final class SlotsTests: ToolTests {
  private static let get = "secrets get --service mail"

  override init() throws {
    try super.init()
    try machine.store("tajny", "--service mail")
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

  @Test func rotationKeepsSlotsWithKnownKeys() throws {
    try machine.vault.addSlot(.passphrase(Secret("totoro")), named: "passphrase", cost: .minimum)
    try machine.output("secrets slots add recovery-code")
    _ = try machine.file("passphrase", "totoro\n")
    try expectTranscript()
  }

  @Test func progressIsClearedAtTheEnd() throws {
    let session = try PseudoTerminal("secrets rotate", on: machine)
    #expect(try session.end() == 0)
    #expect(session.screen.contains("Rotating [########################################] 100 %"))
    #expect(session.screen.hasSuffix("\r\u{1B}[K"))
  }
}
