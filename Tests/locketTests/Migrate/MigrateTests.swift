import FoundationEssentials
import TestSupport
import Testing

struct MigrateTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
  }

  private func migrate(_ arguments: String...) throws -> Ended {
    try machine.run(["migrate"] + arguments, input: "")
  }

  @Test func variablesMigrateAndTheFileGoes() throws {
    let file = try machine.file("variables.env", "export A='tajny'\nB=other # comment\n")
    let dry = try migrate("env", file, "--service", "app", "--dry-run", "--remove-source")
    #expect(dry.status == 0, "\(dry.errors)")
    #expect(dry.output == "added: --service app --account A\nadded: --service app --account B\n")
    #expect(try machine.run("secrets", "list").output == "")
    try machine.store("mine", "--service", "app", "--account", "B")

    let kept = try migrate("env", file, "--service", "app", "--remove-source")
    #expect(
      kept.output == """
        added: --service app --account A
        kept: --service app --account B
        The file was kept, because the vault does not contain all of its secrets.

        """)
    #expect(
      try machine.run("secrets", "get", "--service", "app", "--account", "B").output == "mine\n")

    let done = try migrate("env", file, "--service", "app", "--remove-source", "--replace")
    #expect(
      done.output == """
        identical: --service app --account A
        replaced: --service app --account B
        The file was removed.

        """)
    #expect(!FileManager.default.fileExists(atPath: file))
    #expect(
      try machine.run("secrets", "get", "--service", "app", "--account", "A").output == "tajny\n")
    #expect(
      try machine.run("secrets", "get", "--service", "app", "--account", "B").output == "other\n")
  }

  @Test func whatIsWrongIsSaidAndNothingChanges() throws {
    let file = try machine.file("variables.env", "A=1\nB='hunter2\n")
    let malformed = try migrate("env", file, "--service", "app")
    #expect(malformed.status == 2)
    #expect(malformed.errors.contains("line 2: the closing quotation mark is missing"))
    #expect(!malformed.errors.contains("hunter2"))
    let passphrase = try machine.file("passphrase", "totoro\n")
    for kind in ["cryptfile", "libsecret", "keychain"] {
      let ended = try migrate(kind, file, "--source-passphrase-file", passphrase)
      #expect(ended.status == 2)
      #expect(ended.errors.hasPrefix("locket: \(file) does not have the expected format: "))
      let missing = try migrate(kind, "/nowhere", "--source-passphrase-file", passphrase)
      #expect(missing.errors.contains("/nowhere failed: No such file or directory"))
      #expect(try migrate(kind, file).errors.contains("--source-passphrase-file"))
    }
    #expect(try machine.run("secrets", "list").output == "")
  }

  /// The file is of `secret-tool`, with `service web username peter` and the passphrase "totoro".
  @Test func aPassphraseIsAskedForAndAKeyringMigrates() throws {
    let data = try #require(Data(base64Encoded: Self.keyring))
    let file = machine.path("default.keyring")
    try data.write(to: URL(filePath: file))
    let session = try PseudoTerminal("migrate", "libsecret", file, on: machine)
    try session.answer("Passphrase of the source: ", "totoro")
    #expect(try session.end() == 0)
    #expect(session.screen.contains("added: --service web --account peter"))
    #expect(!session.screen.contains("totoro"))
    let secret = try machine.run("secrets", "get", "--service", "web", "--account", "peter")
    #expect(secret.output == "tajny\n")
  }

  /// The file of the other test with its item twice.
  @Test func aRefusedSecretGivesOneAndKeepsTheFile() throws {
    let data = try #require(Data(base64Encoded: Self.keyringOfOneItemTwice))
    let file = machine.path("default.keyring")
    try data.write(to: URL(filePath: file))
    let passphrase = try machine.file("passphrase", "totoro\n")
    let ended = try migrate(
      "libsecret", file, "--source-passphrase-file", passphrase, "--remove-source")
    #expect(ended.status == 1)
    #expect(
      ended.output == """
        added: --service web --account peter
        refused (The source has an earlier secret with the same identity.): \
        --service web --account peter
        The file was kept, because the vault does not contain all of its secrets.

        """)
    #expect(FileManager.default.fileExists(atPath: file))
    #expect(try machine.run("secrets", "verify").output == "1 secret, 0 locked\n")
    try machine.store("other", "--service", "other")
    #expect(try machine.run("secrets", "verify").output == "2 secrets, 0 locked\n")
  }

  @Test func aLoneCarriageReturnEndsALine() throws {
    let file = try machine.file("variables.env", "A=1\rB=2\rC=3\r")
    let done = try migrate("env", file, "--service", "app", "--remove-source")
    #expect(
      done.output == """
        added: --service app --account A
        added: --service app --account B
        added: --service app --account C
        The file was removed.

        """)
    for (account, value) in [("A", "1"), ("B", "2"), ("C", "3")] {
      let get = try machine.run("secrets", "get", "--service", "app", "--account", account)
      #expect(get.output == "\(value)\n")
    }
  }

  @Test func aFileThatProgramsReadDifferentlyIsKept() throws {
    for line in ["B=b#c", "B=\"b\\\"c\"", "B=b\u{85}", "B='${A}'"] {
      let file = try machine.file("variables.env", "A=1\n\(line)\n")
      let ended = try migrate("env", file, "--service", "app", "--remove-source")
      #expect(ended.status == 2)
      #expect(
        ended.errors.contains("line 2: some programs") || ended.errors.contains("line 2: `#`"))
      #expect(FileManager.default.fileExists(atPath: file))
    }
    #expect(try machine.run("secrets", "list").output == "")
  }

  private static let keyringOfOneItemTwice = """
    R25vbWVLZXlyaW5nCg0ACgEAIAAAAGJZdjzFteZJjJPKcvvdlVue6ifyzPCGkJk9/EBa5QLyoIYBAIkyAmsAAAAAAQAA\
    AHNlcnZpY2UA+TyxWHy2/DbrcaBXWHZCbeWNQjpdAD0uRw2JNRI5Yc0IdXNlcm5hbWUARtEMNpPLbFOxS8Qv7n+5DNEL\
    9nAY0I0vHkuHRslIbYgJKVM+uEJaNWcB/VT3N7DCmcC0JGQr7e7ROuLGo0iWHDl/ll2i3psCDtm07ugp0C9HfkZBh0iL\
    TQOaQQAXAJotM7NoWv3BWeHVTKa6T4fixUj4Xl71eGtjsWbj5dR2tJ/+57ok+0UxqgqbLKtiG1cHB1cTVXNlcnZpY2UA\
    +TyxWHy2/DbrcaBXWHZCbeWNQjpdAD0uRw2JNRI5Yc0IdXNlcm5hbWUARtEMNpPLbFOxS8Qv7n+5DNEL9nAY0I0vHkuH\
    RslIbYgJKVM+uEJaNWcB/VT3N7DCmcC0JGQr7e7ROuLGo0iWHDl/ll2i3psCDtm07ugp0C9HfkZBh0iLTQOaQQAXAJot\
    M7NoWv3BWeHVTKa6T4fixUj4Xl71eGtjsWbj5dR2tJ/+57ok+0UxqgqbLKtiG1cHB1cTVcYAjAEkAA==
    """

  private static let keyring = """
    R25vbWVLZXlyaW5nCg0ACgEAIAAAAGJZdjzFteZJjJPKcvvdlVue6ifyzPCGkJk9/EBa5QLyoIYBAIkyAmsAAAAAAQAA\
    AHNlcnZpY2UA+TyxWHy2/DbrcaBXWHZCbeWNQjpdAD0uRw2JNRI5Yc0IdXNlcm5hbWUARtEMNpPLbFOxS8Qv7n+5DNEL\
    9nAY0I0vHkuHRslIbYgJKVM+uEJaNWcB/VT3N7DCmcC0JGQr7e7ROuLGo0iWHDl/ll2i3psCDtm07ugp0C9HfkZBh0iL\
    TQOaQQAXAJotM7NoWv3BWeHVTKa6T4fixUj4Xl71eGtjsWbj5dR2tJ/+57ok+0UxqgqbLKtiG1cHB1cTVcYk
    """
}
