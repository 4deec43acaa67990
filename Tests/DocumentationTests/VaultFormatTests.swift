import FoundationEssentials
import SecretStorage
import Testing

/// Vaults as they are read by a program that knows only the documentation's page on the format.
@Suite(.enabled(if: VaultReader.isAvailable, "python3, with hashlib.scrypt, is not installed"))
struct VaultFormatTests {
  private let directory = TemporaryDirectory()
  private var vault: SecretVault {
    SecretVault(fileURL: file, stateDirectory: state)
  }
  private var file: URL { directory.url.appending(path: "secrets.vault") }
  private var state: URL { directory.url.appending(path: "state") }

  @Test func vaultIsAsDocumented() throws {
    try fill(vault)
    try expectAgreement(passphrase: nil)
  }

  @Test func vaultWithPassphraseIsAsDocumented() throws {
    let vault = vault
    try fill(vault)
    try vault.setPassphrase(
      Secret("The Valley Wind".utf8),
      cost: ScryptCost(logarithmicCost: 12, blockSize: 8, parallelization: 2))
    let passcode = ItemAttributes(
      accessControl: AccessControl(.whenPasscodeSetThisDeviceOnly))
    _ = try vault.add(
      Secret([1]), identity: .generic(service: "passcode"), attributes: passcode)
    try expectAgreement(passphrase: "The Valley Wind")
  }

  @Test func compactedVaultIsAsDocumented() throws {
    let vault = vault
    try fill(vault)
    try vault.compact()
    try expectAgreement(passphrase: nil)
    _ = try vault.add(
      Secret([2]), identity: .generic(service: "later"), attributes: ItemAttributes())
    try expectAgreement(passphrase: nil)
  }

  @Test func exportIsAsDocumented() throws {
    try fill(vault)
    let export = directory.url.appending(path: "export")
    let elsewhere = directory.url.appending(path: "elsewhere")
    let passphrase = "The Sixth Station"
    try vault.export(
      to: export, passphrase: Secret(passphrase.utf8),
      cost: ScryptCost(logarithmicCost: 12, blockSize: 8, parallelization: 1))
    let read = try VaultReader.items(export, elsewhere, passphrase: passphrase, isExport: true)
    let opened = SecretVault(fileURL: export, stateDirectory: elsewhere)
    try opened.unlock(with: .passphrase(Secret(passphrase.utf8)))
    #expect(try read == items(of: opened))
    #expect(read.count == 6)
    #expect(read.allSatisfy { $0.secret != nil })
  }

  @Test func otherProgramsMayAppendAsDocumented() throws {
    try fill(vault)
    try VaultReader.add(service: "foreign", secret: "The Sixth Station", to: file, state)
    let found = try vault.items(matching: .matching(.generic(service: "foreign")))
    let item = try #require(found.first)
    let secret = try vault.secret(of: item.id)?.secret
    #expect(secret == Secret("The Sixth Station".utf8))
    #expect(try vault.verify().isSound)
    _ = try vault.update(item.id, expecting: item.revision, attributes: nil, secret: Secret([3]))
    try expectAgreement(passphrase: nil)
  }

  /// Writes something of each kind: every field, class and accessibility, changes and removals.
  private func fill(_ vault: SecretVault) throws {
    _ = try vault.add(
      Secret(Array("naïve 🗝".utf8)),
      identity: .internet(
        server: "my.server", account: "", securityDomain: "domain", protocol: .ssh,
        authenticationType: .htmlForm, port: 8080, path: "/a/b/c"),
      attributes: ItemAttributes(
        label: "Label", comment: "Zeile\nzwei", itemDescription: "login", creator: 0x6C6F_636B,
        type: 7, isInvisible: true))
    for accessibility in Accessibility.allCases
    where accessibility != .whenPasscodeSetThisDeviceOnly {
      let count = 50 * Int(accessibility.rawValue) * Int(accessibility.rawValue)
      let item = try vault.add(
        Secret(repeatElement(accessibility.rawValue, count: count)),
        identity: .generic(service: "class", account: "\(accessibility)"),
        attributes: ItemAttributes(accessControl: AccessControl(accessibility)))
      var attributes = item.attributes
      attributes.label = "changed"
      _ = try vault.update(
        item.id, expecting: item.revision, attributes: attributes, secret: nil)
    }
    for accessibility in [Accessibility.always, .afterFirstUnlock] {
      let identity = ItemIdentity.generic(service: "moved", account: "\(accessibility)")
      let item = try vault.add(Secret([9]), identity: identity, attributes: ItemAttributes())
      _ = try vault.update(
        item.id, expecting: item.revision,
        attributes: ItemAttributes(accessControl: AccessControl(accessibility)), secret: nil)
    }
    let gone = try vault.add(
      Secret([]), identity: .generic(service: "gone"), attributes: ItemAttributes())
    try vault.remove(gone.id, expecting: gone.revision)
  }

  private func expectAgreement(passphrase: String?) throws {
    let read = try VaultReader.items(file, state, passphrase: passphrase)
    let vault = vault
    if let passphrase { try vault.unlock(with: .passphrase(Secret(passphrase.utf8))) }
    let items = try items(of: vault)
    #expect(items.count > 8)
    #expect(read == items)
  }

  private func items(of vault: SecretVault) throws -> [ReadItem] {
    try vault.items(matching: .all).map { item in
      let reading = try #require(try vault.secret(of: item.id))
      return ReadItem(item, reading.secret)
    }
  }
}
