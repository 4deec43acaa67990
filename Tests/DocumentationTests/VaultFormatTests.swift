import CLibrary
import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

/// Vaults, read by a program written from the documentation's page on the format alone.
@Suite(.enabled(if: VaultReader.isAvailable, "python3, with hashlib.scrypt, is not installed"))
final class VaultFormatTests: DirectoryTests {
  private var vault: SecretVault { SecretVault(fileURL: file, stateDirectory: state) }
  private var file: URL { directory.url.appending(path: "secrets.vault") }
  private var state: URL { directory.url.appending(path: "state") }

  private static let internet = ItemIdentity.internet(
    server: "my.server", account: "", securityDomain: "domain", protocol: .ssh,
    authenticationType: .htmlForm, port: 8080, path: "/a/b/c")
  private static let keyMaterial = Data((0..<100).map { UInt8($0) })

  @Test func vaultIsAsDocumented() throws {
    let vault = try filledVault()
    try expectAgreement()
    try vault.compact()
    try expectAgreement()
  }

  @Test func vaultWithPassphraseIsAsDocumented() throws {
    let vault = try filledVault()
    let passphrase = "The Valley Wind"
    try vault.setPassphrase(
      Secret(passphrase.utf8),
      cost: ScryptCost(logarithmicCost: 13, blockSize: 8, parallelization: 2))
    let passcode = ItemAttributes(accessControl: AccessControl(.whenPasscodeSetThisDeviceOnly))
    _ = try vault.add(Secret([1]), identity: .generic(service: "passcode"), attributes: passcode)
    try expectAgreement(["--passphrase", passphrase], .passphrase(Secret(passphrase.utf8)))
  }

  @Test func vaultWithOtherSlotsIsAsDocumented() throws {
    let vault = try filledVault()
    let key = directory.url.appending(path: "key")
    try Self.keyMaterial.write(to: key)
    try vault.addSlot(.keyFile(key), named: "stick")
    let (_, code) = try vault.addRecoveryCode(named: "paper")
    try vault.removeSlot(1)
    try expectAgreement(["--key-file", key.path], .keyFile(key))
    try expectAgreement(["--recovery-code", code.withText { $0 }], .recoveryCode(code))
  }

  /// The environment names systemd's credentials directory, and belongs to the whole process.
  @Test func vaultOfAServiceIsAsDocumented() async {
    await #expect(processExitsWith: .success) {
      let tests = try VaultFormatTests()
      let credentials = tests.directory.url.appending(path: "credentials")
      try FileManager.default.createDirectory(at: credentials, withIntermediateDirectories: true)
      let file = credentials.appending(path: "vault-key")
      try VaultFormatTests.keyMaterial.write(to: file)
      // No other thread of the process reads the environment.
      #expect(unsafe setenv("CREDENTIALS_DIRECTORY", credentials.path, 1) == 0)
      let vault = try tests.filledVault()
      try vault.addSlot(.credential(named: "vault-key"), named: "service")
      try vault.removeSlot(1)
      try tests.expectAgreement(["--credential", file.path])
    }
  }

  @Test(arguments: [nil, "The Valley Wind"])
  func rotatedVaultIsAsDocumented(passphrase: String?) throws {
    let vault = try filledVault()
    let option = passphrase.map { ["--passphrase", $0] } ?? []
    let key = passphrase.map { UnlockKey.passphrase(Secret($0.utf8)) }
    let keys = key.map { [$0] } ?? []
    if let passphrase { try vault.setPassphrase(Secret(passphrase.utf8), cost: .minimum) }
    // Cancelled at its beginning, or after its only batch, and at its end.
    #expect(throws: SecretStoreError.cancelled) {
      try vault.rotateKeys(keeping: keys) {
        $0.completed >= (passphrase == nil ? 0 : 1) ? .cancel : .proceed
      }
    }
    try expectAgreement(option, key)
    if passphrase == nil {
      try VaultReader.add(service: "foreign", secret: "The Sixth Station", to: file, state)
      try expectAgreement(option, key)
    }
    try vault.resumeRotation()
    try expectAgreement(option, key)
  }

  @Test func exportIsAsDocumented() throws {
    _ = try filledVault()
    let export = directory.url.appending(path: "export")
    let elsewhere = directory.url.appending(path: "elsewhere")
    let passphrase = "The Sixth Station"
    try vault.export(to: export, passphrase: Secret(passphrase.utf8), cost: .minimum)
    let read = try VaultReader.items(export, elsewhere, ["--passphrase", passphrase, "--export"])
    let opened = SecretVault(fileURL: export, stateDirectory: elsewhere)
    try opened.unlock(with: .passphrase(Secret(passphrase.utf8)))
    #expect(try read == items(of: opened))
    #expect(read.count == 6)
    #expect(read.allSatisfy { $0["secret"] != nil })
  }

  @Test func otherProgramsMayAppendAsDocumented() throws {
    _ = try filledVault()
    try VaultReader.add(service: "foreign", secret: "The Sixth Station", to: file, state)
    let query = ItemQuery.matching(.generic(service: "foreign"))
    let item = try #require(try vault.items(matching: query).first)
    let secret = try vault.secret(of: item.id)?.secret
    #expect(secret == Secret("The Sixth Station".utf8))
    #expect(try vault.verify().isSound)
    _ = try vault.update(item.id, expecting: item.revision, attributes: nil, secret: Secret([3]))
    try expectAgreement()
  }

  @Test func itemsWithAccessFlagsAreAsDocumented() async throws {
    let vault = vault
    let context = AuthenticationContext(
      reason: "", authenticator: CustomAuthenticator.willing,
      applicationPassword: Secret("right".utf8), applicationPasswordCost: .minimum)
    let items: [(AccessFlags, ItemIdentity)] = [
      (.userPresence, Self.internet), (.biometryCurrentSet, .generic(service: "naïve")),
      (.applicationPassword, .generic(service: "naïve", account: "peter")),
      (
        [.biometryCurrentSet, .and, .devicePasscode, .applicationPassword],
        .generic(service: "naïve", account: "all")
      ),
    ]
    for (flags, identity) in items {
      let authorization = try await context.authorize(AccessControl(), with: nil)
      let item = try vault.add(
        Secret("The Valley Wind".utf8), identity: identity,
        attributes: ItemAttributes(accessControl: AccessControl(flags: flags)),
        authorizedBy: authorization)
      // The sealed bytes stay when other fields change.
      var attributes = item.attributes
      attributes.label = "label"
      _ = try vault.update(item.id, expecting: item.revision, attributes: attributes, secret: nil)
    }
    try vault.compact()
    // SHA-256 of the byte 1.
    let digest = "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a"
    for password in ["right", nil] {
      let read = try VaultReader.items(
        file, state, password.map { ["--application-password", $0] } ?? [])
      let items = try vault.items(matching: .all).map { item in
        let flags = item.attributes.accessControl.flags
        let isOpen = password != nil || !flags.contains(.applicationPassword)
        var expected = ReadItem(item, isOpen ? Secret("The Valley Wind".utf8) : nil)
        expected["enrolledSet"] = flags.contains(.biometryCurrentSet) ? digest : ""
        return expected
      }
      #expect(items.count == 4)
      #expect(read == items)
    }
  }

  /// A vault with all kinds of records: every field, class and accessibility, changes and removals.
  private func filledVault() throws -> SecretVault {
    let vault = vault
    _ = try vault.add(
      Secret(Array("naïve 🗝".utf8)), identity: Self.internet,
      attributes: ItemAttributes(
        label: "Label", comment: "Zeile\nzwei", itemDescription: "login", creator: 0x6C6F_636B,
        type: 7, isInvisible: true))
    for accessibility in Accessibility.allCases
    where accessibility != .whenPasscodeSetThisDeviceOnly {
      // The padding of one is in larger steps.
      let count = accessibility == .always ? 2450 : 20 * Int(accessibility.rawValue)
      let item = try vault.add(
        Secret([UInt8](repeating: accessibility.rawValue, count: count)),
        identity: .generic(service: "class", account: "\(accessibility)"),
        attributes: ItemAttributes(accessControl: AccessControl(accessibility)))
      var attributes = item.attributes
      attributes.label = "changed"
      _ = try vault.update(item.id, expecting: item.revision, attributes: attributes, secret: nil)
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
    return vault
  }

  private func expectAgreement(_ option: [String] = [], _ key: UnlockKey? = nil) throws {
    let read = try VaultReader.items(file, state, option)
    let vault = vault
    if let key { try vault.unlock(with: key) }
    let items = try items(of: vault)
    #expect(items.count > 8)
    #expect(read == items)
  }

  private func items(of vault: SecretVault) throws -> [ReadItem] {
    try vault.items(matching: .all).map { item in
      ReadItem(item, try #require(try vault.secret(of: item.id)).secret)
    }
  }
}
