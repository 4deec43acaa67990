import Concurrency
import StorageInternals
import Testing

@testable import SecretStorage

/// The keys in memory and their effect on searches; `VaultAccessibilityTableTests` covers the
/// tables of operations.
struct VaultAccessibilityTests {
  private static let passphrase: Secret = "correct horse"

  @Test func lockRemovesKeysFromMemory() throws {
    let vault = TestVault()
    let object = vault.open()
    try object.setPassphrase(Self.passphrase, cost: .minimum)
    for accessibility in Accessibility.allCases {
      _ = try object.text(of: object.add("text", account: "\(accessibility)", accessibility))
    }
    #expect(object.kept == Set(Accessibility.allCases))
    #expect(object.contents.withLock { $0.recordKeys.count } == 7)
    object.lock()
    #expect(
      object.kept == [
        .always, .alwaysThisDeviceOnly, .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly,
      ])
    object.contents.withLock { contents in
      #expect(contents.keys.ring.user == nil)
      #expect(contents.recordKeys.isEmpty)
    }
    #expect(try object.isLocked)
    // Neither a complete reload nor another process's write restores them.
    try vault.open().acceptRollback()
    let other = vault.open()
    try other.unlock(with: .passphrase(Self.passphrase))
    try other.compact()
    #expect(try object.items(matching: .all).count == 7)
    #expect(try object.isLocked)
    #expect(object.kept.count == 4)
    #expect(throws: SecretStoreError.locked) { try object.text("whenUnlocked") }
  }

  @Test func writeDuringLockRestoresNoKey() throws {
    let vault = TestVault()
    let locker = Lock<SecretVault?>(nil)
    // Locks the vault while a write waits for fdatasync.
    let object = vault.open(
      fileSystem: FileSystem { call, _ in
        if call == .fdatasync { locker.withLock { $0?.lock() } }
        return nil
      })
    try object.setPassphrase(Self.passphrase, cost: .minimum)
    try object.add("first", account: "first")
    locker.withLock { $0 = object }
    try object.add("second", account: "second")
    locker.withLock { $0 = nil }
    #expect(try object.isLocked)
    #expect(throws: SecretStoreError.locked) { try object.text("second") }
    try object.unlock(with: .passphrase(Self.passphrase))
    #expect(try object.text("second") == "second")
  }

  @Test func incompleteSearchIsAnError() throws {
    let vault = TestVault()
    let maker = vault.open()
    try maker.setPassphrase(Self.passphrase, cost: .minimum)
    try maker.add("always", account: "always", .always)
    try maker.add("hidden", account: "hidden")
    let object = vault.open()
    #expect(try object.text("always") == "always")
    for query in [ItemQuery.all, .matching(.generic(service: "campaign"))] {
      #expect(throws: SecretStoreError.locked) { try object.items(matching: query) }
    }
    #expect(throws: SecretStoreError.locked) { try object.item("hidden") }
    #expect(throws: SecretStoreError.locked) { try object.item("absent") }
  }
}

extension SecretVault {
  fileprivate var kept: Set<Accessibility> {
    contents.withLock { contents in
      Set(
        Accessibility.allCases.filter { accessibility in
          contents.keys.table?.key(for: .secrets(accessibility))
            .flatMap { contents.keys.ring[$0.id, for: $0.purpose] } != nil
        })
    }
  }
}
