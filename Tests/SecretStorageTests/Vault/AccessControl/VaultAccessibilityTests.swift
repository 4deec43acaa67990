import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// The keys in memory and their effect on searches; `VaultAccessibilityTableTests` has the rest.
struct VaultAccessibilityTests {
  private let vault = TestVault()

  @Test func lockRemovesKeysFromMemory() throws {
    let object = try vault.protected()
    for accessibility in Accessibility.allCases {
      // Keys that were derived for reading remain in memory during the next writes.
      _ = try object.text(of: object.add("text", account: "\(accessibility)", accessibility))
    }
    #expect(object.kept == Set(Accessibility.allCases))
    #expect(object.contents.withLock { $0.keys.ring.recordKeys.count } == 7)
    object.lock()
    #expect(
      object.kept == [
        .always, .alwaysThisDeviceOnly, .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly,
      ])
    #expect(object.contents.withLock { $0.keys.ring.recordKeys.isEmpty })
    #expect(try object.userKey == nil && object.isLocked)
    // Neither a complete reload nor another process's write restores them.
    try vault.open().acceptRollback()
    try vault.unlocked().compact()
    #expect(try object.items(matching: .all).count == 7)
    #expect(try object.isLocked)
    #expect(object.kept.count == 4)
    expectLocked { try object.text("whenUnlocked") }
  }

  @Test func writeDuringLockRestoresNoKey() throws {
    let locker = Lock<SecretVault?>(nil)
    // Locks the vault while a write waits for fdatasync.
    let object = try vault.protected(
      fileSystem: .before(.fdatasync) { _ in locker.withLock { $0?.lock() } })
    try object.add("first", account: "first")
    locker.withLock { $0 = object }
    try object.add("second", account: "second")
    locker.withLock { $0 = nil }
    #expect(try object.isLocked)
    expectLocked { try object.text("second") }
    try object.unlock(with: .tests)
    #expect(try object.text("second") == "second")
  }

  @Test func incompleteSearchIsAnError() throws {
    let maker = try vault.protected().adding("always", account: "always", .always)
    try maker.add("hidden", account: "hidden")
    let object = vault.open()
    #expect(try object.text("always") == "always")
    for query in [ItemQuery.all, .matching(.generic(service: "campaign"))] {
      expectLocked { try object.items(matching: query) }
    }
    expectLocked { try object.item("hidden") }
    expectLocked { try object.item("absent") }
  }

  @Test func keyHasOnePurpose() throws {
    let object = try vault.openWithItem()
    let known = try object.withContents { contents throws(SecretStoreError) in contents.keys }
    let table = try #require(known.table)
    let purposes = table.keys.map(\.purpose)
    for key in table.keys {
      for purpose in purposes {
        #expect((known.ring[key.id, for: purpose] != nil) == (purpose == key.purpose))
      }
      let isOfAttributes = [.attributes, .alwaysAttributes].contains(key.purpose)
      #expect((known.ring.attributesKey(key.id) != nil) == isOfAttributes)
    }
  }

  /// Otherwise it would be readable while the vault is locked.
  @Test func secretUnderKeyOfOtherAccessibilityIsAnError() throws {
    let object = try vault.openWithItem()
    let id = try SecretItem.ID.random()
    try vault.plant(.generic(account: "forged"), Secret([1]), under: .always, named: id, in: object)
    #expect(throws: SecretStoreError.self) { try vault.open().secret(of: id) }
    #expect(try vault.open().text("a") == "value")
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
