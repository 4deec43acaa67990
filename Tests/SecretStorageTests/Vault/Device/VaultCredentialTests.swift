import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

/// Vaults opened by systemd credentials and key files.
struct VaultCredentialTests {
  private let vault = TestVault()

  /// Makes a vault that the credential 1 opens and, if asked for, the device.
  @discardableResult
  private func make(keepingDevice keepsDevice: Bool = false) throws -> SecretVault {
    try vault.giveCredential("vault-key", 1)
    let object = try vault.openAsService()
    try object.add("value", account: "a")
    try object.addSlot(.credential(named: "vault-key"), named: "service")
    if !keepsDevice { try object.removeSlot(1) }
    return object
  }

  @Test func vaultIsLockedWithoutItsCredential() throws {
    try make()
    let object = vault.open()
    expectLocked { try object.texts() }
    expectLocked { try object.unlock() }
    let error = try failure { try object.unlock(with: .credential(named: "vault-key")) }
    guard case .unavailable(let what) = error else { throw error }
    #expect(what.contains("the credential vault-key") && what.contains("LoadCredentialEncrypted="))
    let note = object.diagnose().findings.first { $0.subject == "Locked" }
    #expect(
      note?.text
        == "yes: unlock it with the credential vault-key, which systemd provides to a service")
  }

  @Test func otherCredentialOfTheNameIsAnError() throws {
    #expect(try make().slots.map(\.kind) == [.credential(named: "vault-key")])
    try vault.giveCredential("vault-key", 2)
    let object = try vault.openAsService()
    let wrong = SecretStoreError.wrongKey("The credential named vault-key")
    #expect(throws: wrong) { try object.texts() }
    #expect(throws: wrong) { try object.unlock() }
    #expect(throws: wrong) { try object.unlock(with: .credential(named: "vault-key")) }
    #expect(object.diagnose().problems.map(\.text) == [wrong.description])
    #expect(PasswordStatus(wrong) == .locked)
    // The right credential is back.
    try vault.giveCredential("vault-key", 1)
    try object.unlock()
    #expect(try object.text("a") == "value")
    object.lock()
    #expect(try object.isLocked)
    try object.unlock()
    #expect(try object.text("a") == "value")
  }

  @Test(arguments: [0, 31, (1 << 20) + 1])
  func credentialOfAnotherSizeDoesNotBlockOtherKeys(_ count: Int) throws {
    let maker = try make(keepingDevice: true)
    try vault.giveCredential("vault-key", 1, count: count)
    #expect(try vault.openAsService().text("a") == "value")
    try maker.removeSlot(1)
    let object = try vault.openAsService()
    for access in [
      { _ = try object.texts() }, { try object.unlock() },
      { try object.unlock(with: .credential(named: "vault-key")) },
    ] as [() throws -> Void] {
      expectInvalid("must have 32 bytes to 1 MiB", from: access)
    }
    try vault.giveCredential("vault-key", 1)
    let (_, code) = try maker.addRecoveryCode(named: "paper")
    try vault.giveCredential("vault-key", 1, count: count)
    let other = try vault.openAsService()
    // An unlock is possible now, so the error no longer describes the service's set-up.
    expectLocked { try other.texts() }
    try other.unlock(with: .recoveryCode(code))
    #expect(try other.text("a") == "value")
  }

  /// A temporary failure is not cached as a reason to stay locked.
  @Test(arguments: [(EMFILE, true), (EIO, true), (EACCES, false), (EPERM, false)])
  func temporaryFailureIsNotCached(_ code: Int32, _ passes: Bool) throws {
    try make()
    let isBroken = Lock(true)
    let fileSystem = FileSystem { call, path in
      path.hasSuffix("/vault-key") && call == .open && isBroken.withLock { $0 } ? code : nil
    }
    let object = vault.open(credentials: try vault.credentials(), fileSystem: fileSystem)
    for _ in 0..<2 { expectError("system \(code)") { _ = try object.texts() } }
    isBroken.withLock { $0 = false }
    if !passes {
      #expect(throws: SecretStoreError.self) { try object.texts() }
      try object.unlock()
    }
    #expect(try object.text("a") == "value")
  }

  @Test func invalidCredentialNameIsAnError() throws {
    let object = try vault.openAsService()
    let long = String(repeating: "n", count: 256)
    for name in ["", ".", "..", "a/b", "../key", "a:b", "ключ", "a\nb", long] {
      expectInvalid("is not a valid credential name") {
        try object.addSlot(.credential(named: name), named: "service")
      }
    }
  }

  /// The name comes from the vault, whose writer must not choose the file to read.
  @Test func credentialNameInVaultIsNotAPath() throws {
    let object = try make(keepingDevice: true)
    let key = try vault.path("key")
    try FileSystem().replaceFile(at: key, with: [UInt8](repeating: 1, count: 64))
    try object.changeKeys { change throws(SecretStoreError) in
      let user = change.user
      change.table.slots = [
        try KeySlot(
          id: 5, name: "hostile", sealing: user,
          under: SlotKey(
            kind: .credential(named: "../key"), secret: Secret([UInt8](repeating: 1, count: 64))
          ).stretched(cost: nil, for: user, change.contents.cipher, checking: {}),
          by: change.table.sealer)
      ]
    }
    expectLocked { try vault.openAsService().texts() }
  }

  @Test func keyFileHas32BytesTo1MiB() throws {
    let object = vault.open()
    for count in [32, 1 << 20] {
      let file = try vault.keyFile(1, count: count)
      try object.addSlot(.keyFile(file), named: "stick")
      try vault.openElsewhere().unlock(with: .keyFile(file))
    }
    for count in [0, 31, (1 << 20) + 1] {
      let file = try vault.keyFile(2, count: count)
      for refused in [
        { try object.addSlot(.keyFile(file), named: "other") },
        { try object.unlock(with: .keyFile(file)) },
      ] as [() throws -> Void] {
        expectInvalid("The key file at \(file.path) must have 32", from: refused)
      }
    }
    #expect(try object.slots.count == 3)
  }

  @Test func keyFileMustBeARegularFile() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    func add(_ path: String) throws {
      try object.addSlot(.keyFile(URL(filePath: path)), named: "stick")
    }
    let pipe = try vault.path("pipe")
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    // Opening the pipe does not block.
    expectInvalid("but has 0") { try add(pipe) }
    for (path, code) in [(try vault.path("none"), ENOENT), (vault.directory.path, EISDIR)] {
      let error = try failure { try add(path) }
      guard case .system(_, path, code) = error else { throw error }
    }
    #expect(try object.slots.count == 1)
  }
}
