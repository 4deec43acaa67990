import Concurrency
import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

struct VaultRotationTests {
  private let vault = TestVault(batchSize: 20)

  /// Makes a vault with a passphrase and an item of each accessibility.
  private func filled() throws -> SecretVault {
    let object = try vault.protected()
    for accessibility in Accessibility.allCases {
      try object.add("\(accessibility)", account: "\(accessibility)", accessibility, label: "label")
    }
    return object
  }

  @Test func rotationKeepsEveryItem() throws {
    let object = try filled()
    let items = try object.items(matching: .all)
    let texts = try object.texts()
    #expect(items.count == 7)
    try object.rotate()
    let other = try vault.unlocked()
    for reader in [object, other] {
      #expect(try reader.items(matching: .all) == items)
      try reader.expectSound(texts)
      #expect(try !reader.isRotationPending)
    }
    for item in items {
      // An item read before the rotation can be changed after it.
      try other.change(item, to: "changed")
    }
    #expect(try Set(object.texts().values) == ["changed"])
  }

  @Test func oldKeysOpenNothingOfTheNewFile() throws {
    let object = try filled()
    let old = try CapturedKeys(object)
    let oldFile = try vault.bytes
    #expect(try old.openings(in: oldFile, with: old).count == 2 + 2 * 9 + 7 + 7)
    try object.rotate()
    let new = try CapturedKeys(object)
    #expect(try old.openings(in: vault.bytes, with: new) == [])
    #expect(new.table.keys.map(\.purpose) == [.earlierTables] + old.table.keys.map(\.purpose))
    #expect(new.keys.count == 9 + 1)
    #expect(!new.keys.values.contains(old.user) && new.user != old.user)
    for key in new.keys.values { #expect(!old.keys.values.contains(key)) }
    // An old copy and its passphrase still give the old user key, and nothing else.
    let slot = SlotKey.passphrase(TestVault.passphrase)
    #expect(try old.table.open(with: slot) == old.user)
    #expect(try new.table.open(with: slot) == new.user)
    #expect(try new.openings(in: oldFile, with: old) == [])
  }

  @Test func rotationErasesOldKeysFromMemory() throws {
    let object = try filled()
    let other = try vault.unlocked()
    let old = try CapturedKeys(object)
    _ = try object.texts()
    try object.rotate()
    expectLocked { try other.texts() }
    for reader in [object, other] {
      reader.contents.withLock { contents in
        for key in old.table.keys { #expect(contents.keys.ring[key.id, for: key.purpose] == nil) }
        #expect(contents.keys.ring.user != old.user && contents.keys.pendingRing == nil)
      }
    }
  }

  @Test func rotationOfNoVaultDoesNothing() throws {
    try vault.open().rotateKeys()
    try vault.open().resumeRotation()
    #expect(try !vault.open().isRotationPending)
    #expect(try FileSystem().status(of: vault.directory.path) == nil)
  }

  @Test func emptyVaultGetsNewKeys() throws {
    let object = try vault.openWithItem()
    try object.remove("a")
    let old = try CapturedKeys(object)
    try object.rotateKeys { _ in
      Issue.record("There is nothing to report.")
      return .cancel
    }
    let new = try CapturedKeys(object)
    #expect(Set(new.keys.keys).isDisjoint(with: old.keys.keys))
    #expect(new.keys.count == 8 + 1)
    #expect(try !object.isRotationPending)
    try object.add("again", account: "a")
    #expect(try vault.open().texts() == ["a": "again"])
  }

  @Test func keysOfANewerVersionPreventRotation() throws {
    let object = try vault.openWithItem()
    try object.rewrite { $0.keys.table?.unknown.append((9, [1, 2, 3])) }
    let before = try vault.bytes
    expectError(.newerFormat("A part of the vault's key table")) { try object.rotateKeys() }
    #expect(try vault.bytes == before)
  }

  @Test func copyFromBeforeOrDuringARotationIsRefused() throws {
    let object = try vault.openWithMany(46)
    let old = try vault.bytes
    var copies = [old]
    try object.rotateKeys { [vault] _ in
      #expect(throws: Never.self) { copies.append(try vault.bytes) }
      return .proceed
    }
    #expect(copies.count == 5)
    let new = try vault.bytes
    for copy in copies {
      try vault.replace(by: copy)
      for reader in [object, vault.open()] {
        expectError("rolledBack") { try reader.items(matching: .all) }
      }
    }
    try vault.replace(by: new)
    #expect(try object.texts() == SecretVault.many(46))
    // A deliberately restored backup has its old keys again.
    try vault.replace(by: old)
    try object.acceptRollback()
    #expect(try object.texts() == SecretVault.many(46))
    try object.rotateKeys()
    #expect(try vault.open().texts() == SecretVault.many(46))
  }

  @Test func largeSecretsAreBatchesOfTheirOwn() throws {
    let object = vault.open()
    let large = String(repeating: "x", count: 1 << 20)
    for number in 0..<3 { try object.add(large + "\(number)", account: "\(number)") }
    let reports = try reports { try object.rotateKeys(reporting: $0) }
    #expect(reports.map(\.completed) == [0, 1, 2, 3])
    #expect(try vault.open().text("2") == large + "2")
  }
}
