import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Copies of damaged files that repairs have replaced.
struct VaultDamagedCopiesTests {
  /// Returns an open vault with a passphrase and a device slot after a repair.
  private static func repaired(_ vault: TestVault) throws -> SecretVault {
    let object = vault.open()
    for account in ["a", "b"] { try object.add("value", account: account) }
    try object.addSlot(.passphrase("passphrase 1"), named: "first", cost: .cheap)
    try damage(vault, second: 1)
    #expect(try !object.repair().isEmpty)
    return object
  }

  /// Damages the last record at a fixed time, which the name of the copy contains.
  private static func damage(_ vault: TestVault, second: Double) throws {
    try vault.damage()
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: second)], ofItemAtPath: vault.path)
  }

  @Test func slotChangeReportsAndKeepsDamagedCopies() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        ExpectedFailures.begin()
        // After each change, the damaged copy still accepts a key that the vault refuses.
        let changes: [(SecretVault) throws -> Void] = [
          { try $0.removeSlot(2) }, { try $0.setPassphrase("passphrase 2", cost: .cheap) },
          { try $0.removePassphrase() }, { try $0.rotateKeys(removingOtherSlots: true) },
          { try $0.changePassphrase(from: "passphrase 1", to: "passphrase 2", cost: .cheap) },
        ]
        for (number, change) in changes.enumerated() {
          let vault = TestVault()
          let object = try Self.repaired(vault)
          let heard = Heard<SecretStorageFailure>()
          SecretStores.onFailure = { failure in
            // A handler may use the vault.
            #expect(throws: Never.self) { _ = try object.slots }
            heard.hear(failure)
          }
          let copies = try object.damagedCopies
          try #require(copies.count == 1)
          let bytes = try TestVault.bytes(of: copies[0].path)
          try change(object)
          #expect(heard.all.map(\.operation) == [.maintenance], "change \(number)")
          let text = heard.all.first?.description ?? ""
          #expect(text.contains(copies[0].path) && text.contains("removeDamagedCopies()"))
          // The copy stays, because it may be the only one with its contents.
          #expect(try TestVault.bytes(of: copies[0].path) == bytes)
          let other = TestVault()
          try other.replace(by: bytes)
          try other.open().unlock(with: .passphrase("passphrase 1"))
          #expect(try object.removeDamagedCopies() == copies)
          #expect(try object.damagedCopies.isEmpty)
          #expect(try object.removeDamagedCopies().isEmpty)
          let keys: [UnlockKey] = try object.hasPassphrase ? [.passphrase("passphrase 2")] : []
          try object.rotateKeys(keeping: keys, removingOtherSlots: true)
          #expect(heard.all.count == 1, "change \(number)")
        }
      }
    }
  }

  @Test func otherFileIsNoDamagedCopy() throws {
    let vault = TestVault()
    let object = try Self.repaired(vault)
    for name in ["other.vault.damaged-1", "secrets.vault.damaged-", "secrets.vault.damaged-1a"] {
      try TestVault.append([1], to: vault.path(name))
    }
    try Self.damage(vault, second: 2)
    _ = try object.repair()
    let copies = try object.damagedCopies
    #expect(copies.count == 2)
    let note = object.diagnose().findings.first { $0.subject == "Damaged copies" }
    #expect(copies.allSatisfy { note?.text.contains($0.path) == true })
    #expect(object.diagnose().isHealthy)
    let before = try vault.names()
    #expect(try object.removeDamagedCopies() == copies)
    #expect(try vault.names() == before.filter { !copies.map(\.lastPathComponent).contains($0) })
    #expect(try vault.open().verify().isSound)
    #expect(object.diagnose().findings.allSatisfy { $0.subject != "Damaged copies" })
  }

  @Test func absentVaultHasNoDamagedCopies() throws {
    let vault = TestVault()
    #expect(try vault.open().damagedCopies.isEmpty)
    #expect(try vault.open().removeDamagedCopies().isEmpty)
    #expect(try FileSystem().status(of: vault.directory.path) == nil)
  }

  @Test func removalOfDamagedCopiesObeysTheLockTimeout() throws {
    let vault = TestVault()
    let object = try Self.repaired(vault)
    object.lockTimeout = .zero
    let lock = try FileLock(at: "\(vault.path).lock")
    expectError("busy") { try object.removeDamagedCopies() }
    lock.release()
    #expect(try object.damagedCopies.count == 1)
  }
}
