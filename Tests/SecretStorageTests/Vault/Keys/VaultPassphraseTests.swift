import StorageInternals
import Testing

@testable import SecretStorage

struct VaultPassphraseTests {
  private let vault = TestVault()
  private let passphrase = Secret("correct horse".utf8)

  @Test func wrongPassphraseIsSaidAndChangesNothing() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try object.setPassphrase(passphrase, cost: .cheap)
    let other = vault.open()
    for wrong in ["c", "Correct horse", "correct horse "] {
      #expect(throws: SecretStoreError.wrongPassphrase) {
        try other.unlock(with: .passphrase(Secret(wrong.utf8)))
      }
    }
    #expect(try other.isLocked)
    #expect(throws: SecretStoreError.locked) { try other.unlock() }
    try other.unlock(with: .passphrase(passphrase))
    #expect(try other.texts() == ["a": "value"])
  }

  @Test func vaultWithoutPassphraseSaysSo() throws {
    let object = vault.open()
    for _ in 0..<2 {
      #expect(throws: SecretStoreError.invalid("The vault has no passphrase")) {
        try object.unlock(with: .passphrase(passphrase))
      }
      try object.add("value", account: "\(try object.items(matching: .all).count)")
    }
  }

  @Test func emptyPassphraseIsRefused() throws {
    #expect(throws: SecretStoreError.self) { try vault.open().setPassphrase(Secret([])) }
    #expect(try FileSystem().status(of: vault.path) == nil)
  }

  @Test(
    arguments: [
      (0, 8, 1), (10, 0, 1), (10, 8, 0), (10, 8, 17), (21, 8, 1), (47, 8, 1), (63, 8, 1),
      (255, 8, 1),
      (10, 1 << 20, 1),
    ] as [(UInt8, UInt32, UInt32)])
  func costThatCouldNotBeOpenedAgainIsRefused(_ n: UInt8, _ r: UInt32, _ p: UInt32) throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let before = try vault.bytes
    let cost = ScryptCost(logarithmicCost: n, blockSize: r, parallelization: p)
    do {
      try object.setPassphrase(passphrase, cost: .scrypt(cost))
      Issue.record("The cost is taken.")
    } catch SecretStoreError.invalid {}
    #expect(try vault.bytes == before)
  }

  @Test(
    arguments: [
      (0, 8, 1), (10, 0, 1), (10, 8, 0), (40, 8, 1), (10, 8, 4_000_000_000), (63, 1023, 1),
      (255, .max, .max),
    ] as [(UInt8, UInt32, UInt32)])
  func hostileCostIsRefusedAtOnce(_ n: UInt8, _ r: UInt32, _ p: UInt32) throws {
    try setPassphraseSlot { slot in
      let cost = ScryptCost(logarithmicCost: n, blockSize: r, parallelization: p)
      return KeySlot(id: slot.id, name: slot.name, kind: .passphrase(.scrypt(cost)), key: slot.key)
    }
    expectCorrupted(vault.open(), saying: "excessive")
  }

  @Test func damagedSlotIsNeitherAWrongPassphraseNorADamagedVault() throws {
    try setPassphraseSlot { slot in
      var bytes = Array(slot.key.sealed)
      bytes[3] ^= 1
      return KeySlot(
        id: slot.id, name: slot.name, kind: slot.kind,
        key: KeySlot.SealedUserKey(salt: slot.key.salt, check: slot.key.check, sealed: bytes[...]))
    }
    expectCorrupted(
      vault.open(), saying: "slot \"passphrase\" is damaged, although the passphrase is correct")
    #expect(throws: SecretStoreError.wrongPassphrase) {
      try vault.open().unlock(with: .passphrase(Secret("wrong".utf8)))
    }
  }

  private func expectCorrupted(_ object: SecretVault, saying words: String) {
    do {
      try object.unlock(with: .passphrase(passphrase))
      Issue.record("The vault opens.")
    } catch SecretStoreError.corrupted(let what) {
      #expect(what.contains(words))
    } catch {
      Issue.record(error)
    }
  }

  /// Makes a vault with a passphrase, and changes its slot in the key tables, with right digests.
  private func setPassphraseSlot(_ change: (KeySlot) -> KeySlot) throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try object.setPassphrase(passphrase, cost: .cheap)
    var frames = TestVault.frames(of: try vault.bytes)
    for index in 0..<2 {
      let payload = frames[index].dropFirst(Frame.overhead)
      var table = try KeyTableRecord(payload).table
      let old = table.encoded
      table.slots = table.slots.map(change)
      #expect(table.encoded != old)
      var record: [UInt8] = []
      // Header, salt, predecessor and start precede the table; the tag follows it.
      record += payload.prefix(RecordHeader.size + 32 + 16 + 8)
      record.append(counted: table.encoded)
      record += payload.suffix(16)
      frames[index] = try TestVault.frame(of: record)
    }
    try vault.replace(by: TestVault.file(of: frames))
    try vault.forget()
  }

  @Test func nothingInTheFileOpensByTheDeviceWhenThereIsAPassphrase() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try object.setPassphrase(passphrase, cost: .cheap)
    let bytes = try vault.bytes
    for frame in TestVault.frames(of: bytes) {
      let payload = frame.dropFirst(Frame.overhead)
      guard payload.first == RecordHeader.Kind.keys.rawValue else { continue }
      let table = try KeyTableRecord(payload).table
      #expect(!table.hasDevice)
      #expect(table.slots.count == 1)
    }
    // With both key tables damaged, there is no earlier one to fall back to.
    var damaged = bytes
    for frame in TestVault.frames(of: bytes).prefix(2) { damaged[frame.endIndex - 1] ^= 1 }
    try vault.replace(by: damaged)
    #expect(throws: SecretStoreError.self) { try vault.open().texts() }
  }

  @Test func secondPassphraseTakesThePlaceOfTheFirst() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try object.setPassphrase(passphrase, cost: .cheap)
    try object.setPassphrase(Secret("other".utf8), cost: .cheap)
    let other = vault.open()
    #expect(throws: SecretStoreError.wrongPassphrase) {
      try other.unlock(with: .passphrase(passphrase))
    }
    try other.unlock(with: .passphrase(Secret("other".utf8)))
    #expect(try other.text("a") == "value")
  }

  @Test func passphraseMakesAVaultThatIsOpen() throws {
    let object = vault.open()
    try object.setPassphrase(passphrase, cost: .cheap)
    #expect(try !object.isLocked)
    try object.add("value", account: "a")
    #expect(try vault.open().isLocked)
  }

  @Test func lockedVaultTakesNoOtherPassphrase() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try object.setPassphrase(passphrase, cost: .cheap)
    object.lock()
    for locked in [object, vault.open()] {
      #expect(throws: SecretStoreError.locked) {
        try locked.setPassphrase(Secret("other".utf8), cost: .cheap)
      }
      #expect(throws: SecretStoreError.locked) { try locked.removePassphrase() }
    }
  }

  @Test func itemsOfARemovedPassphraseAreNotInTheFile() throws {
    let object = vault.open()
    try object.setPassphrase(passphrase, cost: .cheap)
    try object.add("value", account: "kept")
    try object.add("value", account: "gone", .whenPasscodeSetThisDeviceOnly)
    try object.removePassphrase()
    #expect(try object.texts() == ["kept": "value"])
    #expect(try vault.open().texts() == ["kept": "value"])
    let frames = TestVault.frames(of: try vault.bytes)
    // Two key tables, and the one block of items.
    #expect(frames.count == 3)
    object.lock()
    try object.unlock()
    #expect(try object.texts() == ["kept": "value"])
  }

  /// The second passphrase's key must not reuse the number of the first one's, which another
  /// process still has in memory.
  @Test func otherObjectsTakeUpTheKeysOfAPassphraseThatWasSetAgain() throws {
    let object = vault.open()
    try object.setPassphrase(passphrase, cost: .cheap)
    let other = vault.open()
    try other.unlock(with: .passphrase(passphrase))
    try other.add("first", account: "first", .whenPasscodeSetThisDeviceOnly)
    try object.removePassphrase()
    try object.setPassphrase(passphrase, cost: .cheap)
    try object.add("second", account: "second", .whenPasscodeSetThisDeviceOnly)
    #expect(try other.text("second") == "second")
    try other.add("third", account: "third", .whenPasscodeSetThisDeviceOnly)
    let third = vault.open()
    try third.unlock(with: .passphrase(passphrase))
    #expect(try third.texts() == ["second": "second", "third": "third"])
  }
}
