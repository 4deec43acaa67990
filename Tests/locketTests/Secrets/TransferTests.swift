import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

final class TransferTests: ToolTests {
  private let source: Machine
  private var file: String { machine.path("secrets.export") }

  override init() throws {
    source = try Machine()
    try super.init()
    _ = try machine.file("passphrase", "totoro\n")
    try source.store("tajny", "--service mail")
    try source.store("other", "--service web")
  }

  @Test func exportReplacesAFileOnlyOnRequest() throws {
    _ = try machine.file("secrets.export", "existing")
    let passphrase = machine.path("passphrase")
    let export = "secrets export \(file) --export-passphrase-file \(passphrase)"
    let refused = try source.run(export)
    #expect(refused.status == 2 && refused.errors.contains("`locket secrets export --overwrite`"))
    #expect(try machine.text("secrets.export") == "existing")
    #expect(try source.output("\(export) --overwrite") == "exported: 2\n")
    try machine.vault.importItems(from: URL(filePath: file), passphrase: Secret("totoro".utf8))
    #expect(try machine.output("secrets get --service mail") == "tajny\n")
  }

  @Test func importAddsWhatIsMissingAndReplacesOnRequest() throws {
    try export()
    try expectTranscript()
  }

  @Test func importOfABoundSecretGivesStatusOne() throws {
    let vault = source.vault
    try vault.setPassphrase(Secret("totoro".utf8), cost: .minimum)
    _ = try vault.add(
      Secret("bound".utf8), identity: .generic(service: "bound"),
      attributes: ItemAttributes(accessControl: AccessControl(.whenUnlockedThisDeviceOnly)))
    let importing =
      "secrets import \(source.vaultFile.path) --export-passphrase-file \(machine.path("passphrase"))"
    #expect(try machine.run(importing, "--dry-run").status == 0)
    let ended = try machine.run(importing)
    #expect(ended.status == 1)
    #expect(
      ended.output.hasSuffix("\nrefused (It is bound to the source device.): --service bound\n"))
  }

  @Test func importNeedsTheFileAndItsPassphrase() throws {
    try export()
    try expectTranscript()
  }

  /// Exports at the lowest cost.
  private func export() throws {
    try source.vault.export(
      to: URL(filePath: file), passphrase: Secret("totoro".utf8), cost: .minimum)
  }
}
