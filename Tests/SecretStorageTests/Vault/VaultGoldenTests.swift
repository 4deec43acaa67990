import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

/// Vaults of earlier versions, which must stay readable permanently.
///
/// Until the format is final, `LOCKET_GOLDEN=write swift test --filter goldenVaultsAreWritten`
/// rewrites those of this version.
struct VaultGoldenTests {
  /// The form of a vault, which names its directory of fixtures.
  private enum Form: String, CaseIterable { case device, passphrase, otherSlots }

  private static let passphrase = Secret("correct horse battery staple".utf8)
  private static let credentialName = "vault-key"

  private let vault = TestVault()

  init() throws {
    try FileSystem().replaceFile(
      at: vault.path("machine-id"), with: Array("c0ffee00c0ffee00c0ffee00c0ffee00\n".utf8))
    try FileSystem().makeDirectories(vault.statePath)
  }

  private typealias Item = (identity: ItemIdentity, attributes: ItemAttributes, secret: Secret)

  private static func items(of form: Form) -> [Item] {
    let everything = ItemAttributes(
      label: "label, with a line\nbreak", comment: "comment", itemDescription: "description 🗝️",
      creator: 0x4C6F_636B, type: .max, isInvisible: true)
    let site = ItemIdentity.internet(
      server: "server", account: "account", securityDomain: "domain", protocol: .ssh,
      authenticationType: .htmlForm, port: 8080, path: "/a/b/c")
    let large = Secret([UInt8](repeating: 7, count: 3000))
    let special: [Item] = [
      (.generic(), everything, ""),
      (site, ItemAttributes(isInvisible: false), Secret(0...255)),
      (.internet(server: "server"), ItemAttributes(label: ""), large),
    ]
    let plain = Accessibility.allCases
      .filter { form == .passphrase || $0 != .whenPasscodeSetThisDeviceOnly }
      .map { accessibility -> Item in
        let identity = ItemIdentity.generic(service: "golden", account: "\(accessibility)")
        let attributes = ItemAttributes(accessControl: AccessControl(accessibility))
        return (identity, attributes, "the secret of \(accessibility)")
      }
    return plain + special
  }

  private static func directory(of form: Form) -> String {
    let tests = #filePath.parentDirectory.parentDirectory
    return "\(tests)/Fixtures/golden-\(form)-\(FileHeader.version)"
  }

  private func install(_ form: Form) throws {
    let directory = Self.directory(of: form)
    for name in try FileSystem().entries(of: directory) {
      let path = name == vault.file.lastPathComponent ? vault.path : "\(vault.statePath)/\(name)"
      try FileSystem().replaceFile(at: path, with: TestVault.bytes(of: "\(directory)/\(name)"))
    }
  }

  private func open(onOtherMachine: Bool = false, isService: Bool = false) throws -> SecretVault {
    vault.open(
      state: onOtherMachine ? try vault.path("elsewhere") : nil,
      machine: try vault.path("machine-id"), credentials: isService ? try vault.credentials() : nil,
      cipher: OpenSSLCipher())
  }

  /// Installs the keys of the other slots, and returns the keys that an app passes.
  private func installKeys() throws -> [UnlockKey] {
    let path = try vault.path("key")
    let credential = try "\(vault.credentials())/\(Self.credentialName)"
    try FileSystem().replaceFile(at: path, with: [UInt8](0..<100))
    try FileSystem().replaceFile(at: credential, with: [UInt8](100..<200))
    let code = try RecoveryCode("E50WR-TKY67-ZQX8C-HQT2R-V112E-0QBG2-Y4G0P-YCHQS")
    return [.keyFile(URL(filePath: path)), .recoveryCode(code)]
  }

  @Test func goldenVaultOpensByItsDevice() throws {
    try install(.device)
    try expectItems(of: open(), .device)
    // The machine remembers the last record.
    try vault.replace(by: vault.bytes.dropLast(200))
    #expect(throws: SecretStoreError.self) { try open().items(matching: .all) }
  }

  @Test func goldenVaultOpensByItsPassphrase() throws {
    try install(.passphrase)
    let object = try open()
    expectLocked { try object.items(matching: .all) }
    try object.unlock(with: .passphrase(Self.passphrase))
    try expectItems(of: object, .passphrase)
    let other = try open(onOtherMachine: true)
    try other.unlock(with: .passphrase(Self.passphrase))
    #expect(try other.items(matching: .all).count == object.items(matching: .all).count)
  }

  @Test func goldenVaultOpensByEachOtherSlot() throws {
    try install(.otherSlots)
    for key in try installKeys() {
      let object = try open(onOtherMachine: true)
      expectLocked { try object.items(matching: .all) }
      try object.unlock(with: key)
      #expect(try object.items(matching: .all).count > 8)
    }
    let object = try open(onOtherMachine: true, isService: true)
    #expect(try !object.isLocked)
    #expect(
      try object.slots == [
        .init(id: 2, name: "key file", kind: .keyFile),
        .init(id: 3, name: "recovery code", kind: .recoveryCode),
        .init(id: 4, name: "credential", kind: .credential(named: Self.credentialName)),
      ])
  }

  private func expectItems(of object: SecretVault, _ form: Form) throws {
    let items = Self.items(of: form)
    for _ in 0..<2 {
      for item in items {
        let found = try object.items(matching: .exactly(item.identity))
        #expect(found.map(\.attributes) == [item.attributes])
        #expect(try object.secret(of: #require(found.first).id)?.secret == item.secret)
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

  @Test(
    .enabled(if: isWriting, "LOCKET_GOLDEN=write makes the golden vaults anew."),
    arguments: Form.allCases.map(\.rawValue))
  func goldenVaultsAreWritten(_ form: String) throws {
    let form = try #require(Form(rawValue: form))
    let object = try open(isService: true)
    switch form {
    case .device: break
    case .passphrase:
      try object.add("gone", account: "before the passphrase")
      try object.setPassphrase(Self.passphrase, cost: .cheap)
      try object.remove("before the passphrase")
    case .otherSlots:
      for (key, slot) in zip(try installKeys(), ["key file", "recovery code"]) {
        try object.addSlot(key, named: slot)
      }
      try object.addSlot(.credential(named: Self.credentialName), named: "credential")
      try object.removeSlot(1)
    }
    for item in Self.items(of: form) {
      let added = try object.add("not yet", identity: item.identity, attributes: ItemAttributes())
      try object.change(added, to: item.secret, item.attributes)
    }
    try object.add("gone", account: "removed")
    try object.remove("removed")
    var files = try vault.rememberedState()
    files["device.key"] = try TestVault.bytes(of: "\(vault.statePath)/device.key")
    files[vault.file.lastPathComponent] = try vault.bytes
    let directory = Self.directory(of: form)
    try? FileManager.default.removeItem(atPath: directory)
    try FileSystem().makeDirectories(directory)
    for (name, bytes) in files {
      try FileSystem().replaceFile(at: "\(directory)/\(name)", with: bytes, mode: 0o644)
    }
  }
}
