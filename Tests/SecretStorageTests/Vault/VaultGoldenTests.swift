import CLibrary
import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

/// Vaults of earlier versions, which must stay readable permanently.
///
/// Until the format is final, `LOCKET_GOLDEN=write swift test --filter goldenVaultsAreWritten`
/// rewrites them; the tests read them after the next build.
struct VaultGoldenTests {
  private struct Item {
    let identity: ItemIdentity
    let attributes: ItemAttributes
    let secret: [UInt8]
  }

  private static func items(hasPassphrase: Bool) -> [Item] {
    let everything = ItemAttributes(
      label: "label, with a line\nbreak", comment: "comment", itemDescription: "description 🗝️",
      creator: 0x4C6F_636B, type: .max, isInvisible: true)
    var items = Accessibility.allCases
      .filter { hasPassphrase || $0 != .whenPasscodeSetThisDeviceOnly }
      .map { accessibility in
        Item(
          identity: .generic(service: "golden", account: "\(accessibility)"),
          attributes: ItemAttributes(accessControl: AccessControl(accessibility)),
          secret: Array("the secret of \(accessibility)".utf8))
      }
    items += [
      Item(identity: .generic(), attributes: everything, secret: []),
      Item(
        identity: .internet(
          server: "server", account: "account", securityDomain: "domain", protocol: .ssh,
          authenticationType: .htmlForm, port: 8080, path: "/a/b/c"),
        attributes: ItemAttributes(isInvisible: false), secret: (0...255).map { UInt8($0) }),
      Item(
        identity: .internet(server: "server"), attributes: ItemAttributes(label: ""),
        secret: [UInt8](repeating: 7, count: 3000)),
    ]
    return items
  }

  private struct Opened {
    let vault: TestVault
    let machine: String

    init() throws {
      vault = TestVault()
      machine = try vault.path("machine-id")
      try FileSystem().replaceFile(
        at: machine, with: Array(GoldenVault.machineIdentity.utf8))
    }

    init(_ golden: GoldenVault) throws {
      try self.init()
      func bytes(_ text: String) throws -> [UInt8] {
        let text = text.filter { !$0.isNewline }
        return Array(try #require(Data(base64Encoded: text)))
      }
      try FileSystem().makeDirectories(vault.statePath)
      try FileSystem().replaceFile(
        at: vault.statePath + "/device.key", with: bytes(golden.deviceKey))
      try FileSystem().replaceFile(
        at: "\(vault.statePath)/\(golden.stateName)", with: bytes(golden.state))
      try vault.replace(by: bytes(golden.vault))
    }

    func object(state: String? = nil, isService: Bool = false) throws -> SecretVault {
      vault.open(
        state: state, machine: machine, credentials: isService ? try vault.credentials() : nil)
    }

    /// Installs the second factors, and returns the keys and the costs of their slots.
    func keysOfTwoFactors() throws -> [(key: UnlockKey, cost: PassphraseCost)] {
      guard case .keyFile(let file) = try putKeys()[0] else { return [] }
      let passphrase = Secret(GoldenVault.passphrase.utf8)
      let credential = UnlockKey.SecondFactor.credential(named: GoldenVault.credentialName)
      return [
        (.passphrase(passphrase), .argon2id(.minimum)),
        (.twoFactors(passphrase: passphrase, .keyFile(file)), .minimum),
        (.twoFactors(passphrase: passphrase, credential), .argon2id(.minimum)),
      ]
    }

    /// Installs the keys of the other slots, and returns the keys that an app passes.
    func putKeys() throws -> [UnlockKey] {
      let path = try vault.path("key")
      try FileSystem().replaceFile(at: path, with: GoldenVault.keyFile)
      try FileSystem().replaceFile(
        at: "\(vault.credentials())/\(GoldenVault.credentialName)", with: GoldenVault.credential)
      return [
        .keyFile(URL(filePath: path)), .recoveryCode(try RecoveryCode(GoldenVault.recoveryCode)),
      ]
    }
  }

  @Test func goldenVaultOfTwoFactorsOpensByEach() throws {
    let opened = try Opened(.ofTwoFactorsInVersion2)
    let keys = try opened.keysOfTwoFactors()
    for (key, _) in keys {
      let object = try opened.object(state: try opened.vault.path("elsewhere"), isService: true)
      #expect(throws: SecretStoreError.locked) { try object.items(matching: .all) }
      try object.unlock(with: key)
      #expect(try object.items(matching: .all).count > 8)
    }
    let object = try opened.object(isService: true)
    #expect(
      try object.slots.map(\.kind) == [
        .passphrase(keys[0].cost), .twoFactors(keys[1].cost, .keyFile),
        .twoFactors(keys[2].cost, .credential(named: GoldenVault.credentialName)),
      ])
    try object.unlock(with: keys[1].key)
    try expectItems(of: object, hasPassphrase: false)
  }

  @Test(arguments: [GoldenVault.ofADevice, .ofADeviceInVersion2])
  func goldenVaultOfADeviceOpens(_ golden: GoldenVault) throws {
    let opened = try Opened(golden)
    let object = try opened.object()
    try expectItems(of: object, hasPassphrase: false)
    // The machine remembers the last record.
    try opened.vault.replace(by: opened.vault.bytes.dropLast(200))
    #expect(throws: SecretStoreError.self) { try opened.object().items(matching: .all) }
  }

  @Test(arguments: [GoldenVault.ofAPassphrase, .ofAPassphraseInVersion2])
  func goldenVaultOfAPassphraseOpens(_ golden: GoldenVault) throws {
    let opened = try Opened(golden)
    let object = try opened.object()
    #expect(throws: SecretStoreError.locked) { try object.items(matching: .all) }
    try object.unlock(with: .passphrase(Secret(GoldenVault.passphrase.utf8)))
    try expectItems(of: object, hasPassphrase: true)
    let elsewhere = try opened.object(state: try opened.vault.path("elsewhere"))
    try elsewhere.unlock(with: .passphrase(Secret(GoldenVault.passphrase.utf8)))
    #expect(try elsewhere.items(matching: .all).count == object.items(matching: .all).count)
  }

  @Test(arguments: [GoldenVault.ofOtherSlots, .ofOtherSlotsInVersion2])
  func goldenVaultOfOtherSlotsOpensByEach(_ golden: GoldenVault) throws {
    let opened = try Opened(golden)
    let keys = try opened.putKeys()
    for key in keys {
      let object = try opened.object(state: try opened.vault.path("elsewhere"))
      #expect(throws: SecretStoreError.locked) { try object.items(matching: .all) }
      try object.unlock(with: key)
      #expect(try object.items(matching: .all).count > 8)
    }
    let object = try opened.object(state: try opened.vault.path("elsewhere"), isService: true)
    #expect(try !object.isLocked)
    #expect(
      try object.slots == [
        .init(id: 2, name: "key file", kind: .keyFile),
        .init(id: 3, name: "recovery code", kind: .recoveryCode),
        .init(
          id: 4, name: "credential", kind: .credential(named: GoldenVault.credentialName)),
      ])
  }

  @Test func firstWriteAfterUnlockingUpgradesTheFormat() throws {
    let opened = try Opened(.ofAPassphrase)
    func version() throws -> UInt8 { try opened.vault.bytes[FileHeader.magic.count] }
    let object = try opened.object()
    #expect(try object.isPassphrase(Secret(GoldenVault.passphrase.utf8)))
    try object.unlock(with: .passphrase(Secret(GoldenVault.passphrase.utf8)))
    object.lock()
    try object.add("value", account: "while locked", .always)
    #expect(try version() == 1)
    try object.unlock(with: .passphrase(Secret(GoldenVault.passphrase.utf8)))
    try object.add("value", account: "unlocked")
    #expect(try version() == 2)
    let count = try object.items(matching: .all).count
    object.lock()
    #expect(try object.isPassphrase(Secret(GoldenVault.passphrase.utf8)))
    let other = try opened.object()
    #expect(try other.text("while locked") == "value")
    #expect(try other.isPassphrase(Secret(GoldenVault.passphrase.utf8)))
    try other.unlock(with: .passphrase(Secret(GoldenVault.passphrase.utf8)))
    #expect(try other.items(matching: .all).count == count)
    #expect(try other.verify().isSound)
  }

  private func expectItems(of object: SecretVault, hasPassphrase: Bool) throws {
    for _ in 0..<2 {
      let items = Self.items(hasPassphrase: hasPassphrase)
      for item in items {
        let found = try object.items(matching: .exactly(item.identity))
        #expect(found.map(\.attributes) == [item.attributes])
        let id = try #require(found.first).id
        let reading = try #require(try object.secret(of: id))
        #expect(reading.secret == Secret(item.secret))
      }
      #expect(try object.items(matching: .all).count == items.count)
      #expect(try object.verify().isSound)
      #expect(try object.verify().lockedCount == 0)
      // Again, in this version's form.
      try object.compact()
    }
    try object.add("new", account: "new")
    #expect(try object.text("new") == "new")
  }

  private static let isWriting = ProcessInfo.processInfo.environment["LOCKET_GOLDEN"] == "write"

  @Test(.enabled(if: isWriting, "LOCKET_GOLDEN=write makes the golden vaults anew."))
  func goldenVaultsAreWritten() throws {
    for name in ["ofADevice", "ofAPassphrase", "ofOtherSlots", "ofTwoFactors"] {
      let hasPassphrase = name == "ofAPassphrase"
      let opened = try Opened()
      let object = try opened.object(isService: true)
      if name == "ofOtherSlots" {
        let keys = try opened.putKeys()
        for (key, slot) in zip(keys, ["key file", "recovery code"]) {
          try object.addSlot(key, named: slot)
        }
        try object.addSlot(.credential(named: GoldenVault.credentialName), named: "credential")
        try object.removeSlot(1)
      }
      if name == "ofTwoFactors" {
        for (key, cost) in try opened.keysOfTwoFactors() {
          try object.addSlot(key, named: "slot", cost: cost)
        }
        try object.removeSlot(1)
      }
      if hasPassphrase {
        try object.add("gone", account: "before the passphrase")
        try object.setPassphrase(Secret(GoldenVault.passphrase.utf8), cost: .cheap)
        try object.remove("before the passphrase")
      }
      for item in Self.items(hasPassphrase: hasPassphrase) {
        let added = try object.add(
          Secret("not yet".utf8), identity: item.identity, attributes: ItemAttributes())
        _ = try object.update(
          added.id, expecting: added.revision, attributes: item.attributes,
          secret: Secret(item.secret))
      }
      try object.add("gone", account: "removed")
      try object.remove("removed")
      try write(opened.vault, as: "\(name)InVersion\(FileHeader.version)")
    }
  }

  private func write(_ vault: TestVault, as name: String) throws {
    func text(_ bytes: [UInt8]) -> String {
      let text = Array(Data(bytes).base64EncodedString())
      return stride(from: 0, to: text.count, by: 96)
        .map { "      " + String(text[$0..<min($0 + 96, text.count)]) }.joined(separator: "\n")
    }
    let (file, content) = try #require(try vault.rememberedState().first)
    let source = """
      extension GoldenVault {
        /// Written by `LOCKET_GOLDEN=write swift test --filter goldenVaultsAreWritten`.
        static let \(name) = GoldenVault(
          vault: \"""
      \(text(try vault.bytes))
            \""",
          deviceKey: \"""
      \(text(try TestVault.bytes(of: vault.statePath + "/device.key")))
            \""",
          state: \"""
      \(text(content))
            \""",
          stateName: "\(file)")
      }

      """
    let path = #filePath.parentDirectory.parentDirectory + "/Fixtures/GoldenVault+\(name).swift"
    try FileSystem().replaceFile(at: path, with: Array(source.utf8), mode: 0o644)
  }
}
