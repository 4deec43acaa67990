import FoundationEssentials
import TestSupport
import Testing

struct TransferTests {
  private let machine: Machine
  private let other: Machine
  private let passphrase: String
  private var file: String { machine.path("secrets.export") }

  init() throws {
    machine = try Machine()
    other = try Machine()
    passphrase = try machine.file("passphrase", "totoro\n")
    try machine.store("tajny", "--service", "mail")
    try machine.store("other", "--service", "web")
  }

  @Test func secretsMoveToAnotherMachine() throws {
    try export()
    try other.store("mine", "--service", "web")
    let dry = try importing("--dry-run")
    #expect(dry.output == "added: --service mail\nkept: --service web\n")
    #expect(try other.run("secrets", "get", "--service", "mail").status == 1)
    #expect(try importing().output == dry.output)
    #expect(try other.run("secrets", "get", "--service", "mail").output == "tajny\n")
    #expect(try other.run("secrets", "get", "--service", "web").output == "mine\n")
    let replaced = try importing("--replace")
    #expect(replaced.output == "identical: --service mail\nreplaced: --service web\n")
    #expect(try other.run("secrets", "get", "--service", "web").output == "other\n")
  }

  @Test func whatIsThereIsOverwrittenOnlyOnRequest() throws {
    try export()
    let before = try Data(contentsOf: URL(filePath: file))
    let refused = try machine.run(
      "secrets", "export", file, "--export-passphrase-file", passphrase)
    #expect(refused.status == 2)
    #expect(try Data(contentsOf: URL(filePath: file)) == before)
    let done = try machine.run(
      "secrets", "export", file, "--export-passphrase-file", passphrase, "--overwrite")
    #expect(done.status == 0 && done.output == "exported: 2\n")
  }

  @Test func whatIsWrongWithAnImportIsSaid() throws {
    try export()
    let wrong = try machine.file("wrong", "tortoro\n")
    let denied = try other.run("secrets", "import", file, "--export-passphrase-file", wrong)
    #expect(denied.status == 2)
    #expect(denied.errors.hasPrefix("locket: The passphrase is wrong."))
    let missing = try other.run(
      "secrets", "import", "/nowhere", "--export-passphrase-file", passphrase)
    #expect(missing.errors.contains("/nowhere failed: No such file or directory"))
    let noTerminal = try other.run("secrets", "import", file)
    #expect(noTerminal.errors.contains("--export-passphrase-file"))
  }

  private func export() throws {
    let ended = try machine.run(
      "secrets", "export", file, "--export-passphrase-file", passphrase)
    #expect(ended.status == 0, "\(ended.errors)")
  }

  private func importing(_ options: String...) throws -> Ended {
    let ended = try other.run(
      ["secrets", "import", file, "--export-passphrase-file", passphrase] + options, input: "")
    #expect(ended.status == 0, "\(ended.errors)")
    return ended
  }
}
