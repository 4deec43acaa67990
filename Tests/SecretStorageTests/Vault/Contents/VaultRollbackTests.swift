import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Older copies of a vault in its place.
struct VaultRollbackTests {
  private let vault = TestVault()

  private func expectRolledBack(_ object: SecretVault) {
    for _ in 0..<2 {
      vault.expectEach(object) { error in
        if case .rolledBack(let what) = error { what.contains(vault.path) } else { false }
      }
      expectError("rolledBack") { _ = try object.item("a") }
      expectError("rolledBack") { try object.setPassphrase(Secret([1]), cost: .cheap) }
      expectError("rolledBack") { _ = try object.salvageableItems() }
    }
  }

  @Test func olderCopyIsRefusedUntilItIsAccepted() throws {
    let object = vault.open()
    try object.add("old", account: "a")
    let old = try vault.bytes
    try object.change("a", to: "new")
    try vault.replace(by: old)
    expectRolledBack(object)
    expectRolledBack(vault.open())
    // The contents can be inspected before they are accepted.
    let saved = try object.salvageableItems(unlockingWith: [.device])
    #expect(saved.map(\.secret.text) == ["old"])
    let other = vault.open()
    try other.acceptRollback()
    for accepted in [other, object, vault.open()] {
      #expect(try accepted.texts() == ["a": "old"])
      #expect(try accepted.verify().isSound)
    }
    try object.change("a", to: "newest")
    #expect(try vault.open().texts() == ["a": "newest"])
  }

  /// As `cp` writes it.
  @Test func overwrittenVaultRefusesAnOlderCopy() throws {
    let object = vault.open()
    try object.add("old", account: "a")
    let old = try vault.bytes
    try object.change("a", to: "new")
    let file = try FileSystem().open(vault.path, O_RDWR)
    try file.truncate(to: 0)
    try file.write(old, at: 0)
    for refused in [object, vault.open()] { expectRolledBack(refused) }
  }

  /// Returns the records of a file and of the one that replaces it, which continue their chain.
  private func joined(by replace: (SecretVault) throws -> Void) throws -> [UInt8] {
    let object = vault.open()
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    try object.add("old", account: "a", .always)
    let old = try vault.bytes
    try replace(object)
    return try old + vault.bytes.dropFirst(FileHeader.size)
  }

  @Test func recordsBeforeTheRememberedStartAreRefused() throws {
    try vault.replace(by: joined { try $0.compact() })
    let error = try failure { _ = try vault.open().texts() }
    guard case .rolledBack(let what) = error else { throw error }
    #expect(what.contains("does not continue the vault"))
  }

  /// Another object accepts a copy from before a rotation; this one first meets an older one still.
  @Test func acceptedCopyOfEarlierKeysIsReadAfterARefusal() throws {
    let object = vault.open()
    try object.add("a", account: "a")
    let oldest = try vault.bytes
    try object.add("b", account: "b")
    let older = try vault.bytes
    try object.rotate()
    #expect(try object.texts() == ["a": "a", "b": "b"])
    try vault.replace(by: older)
    try vault.open().acceptRollback()
    try vault.replace(by: oldest)
    for _ in 0..<2 { expectError("rolledBack") { _ = try object.texts() } }
    try vault.replace(by: older)
    #expect(try object.texts() == ["a": "a", "b": "b"])
  }

  /// Of a locked vault, only the numbers of the keys show that a file has tables of two user keys.
  @Test func recordsBeforeARotationAreDamage() throws {
    try vault.replace(
      by: joined { try $0.rotateKeys(keeping: [.passphrase(TestVault.passphrase)]) })
    try vault.forget()
    let damage = try vault.open().verify().damage
    #expect(damage.contains { $0.contains("under another user key") }, "\(damage)")
  }

  /// An older copy put back, and written to on a machine without remembered state.
  @Test(arguments: [1, 2, 3])
  func forkIsRefused(_ writes: Int) throws {
    let object = vault.open()
    try object.add("old", account: "a")
    let old = try vault.bytes
    try object.change("a", to: "new")
    try object.change("a", to: "newer")
    let state = try vault.rememberedState()
    try vault.replace(by: old)
    try vault.forget()
    let forger = vault.open()
    for number in 0..<writes { try forger.change("a", to: "forked \(number)") }
    try vault.restoreState(state)
    expectRolledBack(vault.open())
    try vault.open().acceptRollback()
    #expect(try vault.open().texts() == ["a": "forked \(writes - 1)"])
    #expect(try vault.open().verify().isSound)
  }

  @Test func acceptingNoRollbackChangesNothing() throws {
    let object = vault.open()
    try object.acceptRollback()
    #expect(try FileSystem().status(of: vault.path) == nil)
    try object.add("a", account: "a")
    try object.add("b", account: "b")
    try object.acceptRollback()
    #expect(try object.texts() == ["a": "a", "b": "b"])
    // Accepting must not hide a damaged last record.
    try vault.damage()
    try vault.open().acceptRollback()
    #expect(throws: SecretStoreError.self) { try vault.open().item("b") }
    #expect(try vault.open().text("a") == "a")
  }

  /// A record is appended and remembered between the reads of the log and of the state.
  @Test func appendDuringOpeningIsNoRollback() throws {
    let writer = vault.open()
    try writer.add("value", account: "0")
    let reader = vault.open(
      fileSystem: .before(.open, on: ".state") {
        #expect(throws: Never.self) { try writer.add("value", account: "1") }
      })
    #expect(try reader.items(matching: .all).count == 2)
    #expect(try reader.verify().isSound)
  }

  /// What a reader finds before the genuine file is put back, in place or as another file.
  enum Found: CaseIterable { case olderFile, remainsOfAWrite, unacknowledgedRecord }

  /// A file without the newest records is replaced, shortened or rewritten while it is validated.
  @Test(arguments: Found.allCases)
  func fileThatChangesDuringValidationIsReadAgain(_ found: Found) throws {
    try vault.open().add("old", account: "a")
    let older = try vault.bytes
    for value in ["newer", "new"] { try vault.open().change("a", to: value) }
    for account in ["b", "c"] { try vault.open().add("value", account: account) }
    let genuine = try vault.bytes
    let state = try vault.rememberedState()
    try vault.replace(by: older)
    if found == .remainsOfAWrite {
      try TestVault.append([UInt8](repeating: 7, count: genuine.count), to: vault.path)
    } else if found == .unacknowledgedRecord {
      try vault.forget()
      try vault.open().add("value", account: "other", label: String(repeating: "x", count: 100))
      // The genuine file has records beyond the end of this one, but none that begins there.
      let end = try vault.bytes.count
      let frames = TestVault.frames(of: genuine).dropLast()
      #expect(frames.contains { $0.startIndex < end && end < $0.endIndex })
    }
    try vault.restoreState(state)
    let object = vault.open(
      fileSystem: .before(.open, on: ".place") { [vault] in
        recordingErrors {
          if found == .olderFile { return try vault.replace(by: genuine) }
          let file = try FileSystem().open(vault.path, O_RDWR)
          try file.truncate(to: older.count)
          try file.write(genuine[older.count...], at: older.count)
        }
      })
    try object.expectSound(["a": "new", "b": "value", "c": "value"])
    #expect(try vault.bytes == genuine)
  }

  /// Bytes are appended to an older copy each time that a reader looks at it.
  @Test func readingEndsAlthoughTheFileAlwaysGrows() throws {
    try vault.open().add("old", account: "a")
    let older = try vault.bytes
    try vault.open().change("a", to: "new")
    try vault.replace(by: older)
    let state = Lock((isValidating: false, readings: 0))
    let object = vault.open(
      fileSystem: FileSystem { [vault] call, path in
        if call == .open, path.hasSuffix(".place") { state.withLock { $0.isValidating = true } }
        // A reader that does not stop by itself fails the test instead of reading for ever.
        guard path == vault.path, state.withLock({ $0.isValidating && $0.readings < 100 }) else {
          return nil
        }
        if call == .open { state.withLock { $0.readings += 1 } }
        if call == .stat { recordingErrors { try TestVault.append([7], to: path) } }
        return nil
      })
    #expect(throws: SecretStoreError.self) { try object.text("a") }
    #expect(state.withLock { $0.readings } == 1)
  }
}
