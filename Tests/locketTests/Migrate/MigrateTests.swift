import FoundationEssentials
import TestSupport
import Testing

struct MigrateTests {
  private static let b = "secrets get --service app --account B"

  private let machine: Machine

  init() throws { machine = try Machine() }

  private func migrate(_ words: String) throws -> Ended {
    try machine.run("migrate \(words)")
  }

  @Test func variablesMigrateAndTheFileIsRemoved() throws {
    let file = try machine.file("variables.env", "export A='tajny'\nB=other # comment\n")
    let migration = "env \(file) --service app --remove-source"
    let dry = try migrate("\(migration) --dry-run")
    #expect(dry.status == 0, "\(dry.errors)")
    #expect(dry.output == "added: --service app --account A\nadded: --service app --account B\n")
    #expect(try machine.output("secrets list") == "")
    try machine.store("mine", "--service app --account B")

    #expect(
      try migrate(migration).output == """
        added: --service app --account A
        kept: --service app --account B
        The file was kept, because the vault does not contain all of its secrets.

        """)
    #expect(try machine.output(Self.b) == "mine\n")

    #expect(
      try migrate("\(migration) --replace").output == """
        identical: --service app --account A
        replaced: --service app --account B
        The file was removed.

        """)
    #expect(!machine.exists("variables.env"))
    #expect(try machine.output("secrets get --service app --account A") == "tajny\n")
    #expect(try machine.output(Self.b) == "other\n")
  }

  @Test func unreadableFileIsAnErrorAndNothingChanges() throws {
    let file = machine.path("variables.env")
    for (value, reason) in [
      ("'hunter2", "the closing quotation mark is missing"), ("'${hunter2}'", "some programs"),
    ] {
      _ = try machine.file("variables.env", "A=1\nB=\(value)\n")
      let malformed = try migrate("env \(file) --service app --remove-source")
      #expect(malformed.status == 2)
      #expect(malformed.errors.contains("line 2: \(reason)"))
      #expect(!malformed.errors.contains("hunter2"))
      #expect(machine.exists("variables.env"))
    }
    let option = "--source-passphrase-file \(try machine.file("passphrase", "totoro\n"))"
    for kind in ["libsecret", "keychain"] {
      let ended = try migrate("\(kind) \(file) \(option)")
      #expect(ended.status == 2)
      #expect(ended.errors.hasPrefix("locket: \(file) does not have the expected format: "))
      let missing = try migrate("\(kind) /nowhere \(option)")
      #expect(missing.errors.contains("/nowhere failed: No such file or directory"))
      #expect(try migrate("\(kind) \(file)").errors.contains("--source-passphrase-file"))
    }
    #expect(try machine.output("secrets list") == "")
  }

  @Test func keyringMigratesWithATypedPassphrase() throws {
    let session = try PseudoTerminal("migrate libsecret \(keyring("keyring"))", on: machine)
    try session.answer("Passphrase of the source: ", "totoro")
    #expect(try session.end() == 0)
    #expect(session.screen.contains("added: --service web --account peter"))
    #expect(!session.screen.contains("totoro"))
    #expect(try machine.output("secrets get --service web --account peter") == "tajny\n")
  }

  @Test func refusedSecretGivesStatusOneAndKeepsTheFile() throws {
    let passphrase = try machine.file("passphrase", "totoro\n")
    let ended = try migrate(
      """
      libsecret \(keyring("keyring-twice")) --remove-source \
      --source-passphrase-file \(passphrase)
      """)
    #expect(ended.status == 1)
    #expect(
      ended.output == """
        added: --service web --account peter
        refused (The source has an earlier secret with the same identity.): \
        --service web --account peter
        The file was kept, because the vault does not contain all of its secrets.

        """)
    #expect(machine.exists("keyring-twice"))
    #expect(try machine.output("secrets verify") == "1 secret, 0 locked\n")
    try machine.store("other", "--service other")
    #expect(try machine.output("secrets verify") == "2 secrets, 0 locked\n")
  }

  /// Copies a file of `secret-tool` with `service web username peter`, once or twice, and returns
  /// its path; its passphrase is "totoro".
  private func keyring(_ name: String) throws -> String {
    let fixture = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Fixtures/\(name)")
    try FileManager.default.copyItem(at: fixture, to: machine.home.appending(path: name))
    return machine.path(name)
  }
}
