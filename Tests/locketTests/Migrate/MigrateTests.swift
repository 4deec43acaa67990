import FoundationEssentials
import TestSupport
import Testing

final class MigrateTests: ToolTests {
  @Test func keyringMigratesWithATypedPassphrase() throws {
    let session = try PseudoTerminal("migrate libsecret \(keyring("keyring"))", on: machine)
    try session.answer("Passphrase of the source: ", "totoro")
    #expect(try session.end() == 0)
    #expect(session.screen.contains("added: --service web --account peter"))
    #expect(!session.screen.contains("totoro"))
    #expect(try machine.output("secrets get --service web --account peter") == "tajny\n")
  }

  @Test func refusedSecretGivesStatusOneAndKeepsTheFile() throws {
    _ = try keyring("keyring-twice")
    try expectTranscript()
  }

  /// Copies a file of `secret-tool` with `service web username peter`, once or twice, and returns
  /// its path; its passphrase is "totoro".
  private func keyring(_ name: String) throws -> String {
    try FileManager.default.copyItem(at: Fixture.url(name), to: machine.home.appending(path: name))
    return machine.path(name)
  }
}
