import FoundationEssentials
import SecretStorage
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
    try machine.store("tajny", "--service mail")
    try machine.store("other", "--service web")
  }

  @Test func exportReplacesAFileOnlyOnRequest() throws {
    _ = try machine.file("secrets.export", "existing")
    let export = "secrets export \(file) --export-passphrase-file \(passphrase)"
    let refused = try machine.run(export)
    #expect(refused.status == 2 && refused.errors.contains("`locket secrets export --overwrite`"))
    #expect(try machine.text("secrets.export") == "existing")
    #expect(try machine.output("\(export) --overwrite") == "exported: 2\n")
    try other.vault.importItems(from: URL(filePath: file), passphrase: Secret("totoro".utf8))
    #expect(try other.output("secrets get --service mail") == "tajny\n")
  }

  @Test func importAddsWhatIsMissingAndReplacesOnRequest() throws {
    try export()
    try other.store("mine", "--service web")
    let importing = "secrets import \(file) --export-passphrase-file \(passphrase)"
    let added = "added: --service mail\nkept: --service web\n"
    #expect(try other.output("\(importing) --dry-run") == added)
    #expect(try other.run("secrets get --service mail").status == 1)
    #expect(try other.output(importing) == added)
    #expect(try other.output("secrets get --service mail") == "tajny\n")
    #expect(try other.output("secrets get --service web") == "mine\n")
    #expect(
      try other.output("\(importing) --replace")
        == "identical: --service mail\nreplaced: --service web\n")
    #expect(try other.output("secrets get --service web") == "other\n")
  }

  @Test func importOfABoundSecretGivesStatusOne() throws {
    let vault = machine.vault
    try vault.setPassphrase(Secret("totoro".utf8), cost: .minimum)
    _ = try vault.add(
      Secret("bound".utf8), identity: .generic(service: "bound"),
      attributes: ItemAttributes(accessControl: AccessControl(.whenUnlockedThisDeviceOnly)))
    let importing = "secrets import \(machine.vaultFile.path) --export-passphrase-file"
    #expect(try other.run(importing, passphrase, "--dry-run").status == 0)
    let ended = try other.run(importing, passphrase)
    #expect(ended.status == 1)
    #expect(
      ended.output.hasSuffix("\nrefused (It is bound to the source device.): --service bound\n"))
  }

  @Test func importNeedsTheFileAndItsPassphrase() throws {
    try export()
    let wrong = try machine.file("wrong", "tortoro\n")
    let denied = try other.run("secrets import", file, "--export-passphrase-file", wrong)
    #expect(denied.status == 2)
    #expect(denied.errors.hasPrefix("locket: The passphrase is wrong."))
    let missing = try other.run("secrets import /nowhere --export-passphrase-file", passphrase)
    #expect(missing.errors.contains("/nowhere failed: No such file or directory"))
    let noTerminal = try other.run("secrets import", file)
    #expect(noTerminal.errors.contains("--export-passphrase-file"))
  }

  /// Exports at the lowest cost.
  private func export() throws {
    let passphrase = Secret("totoro".utf8)
    _ = try machine.vault.export(to: URL(filePath: file), passphrase: passphrase, cost: .minimum)
  }
}
