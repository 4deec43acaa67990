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
      vault.expectEach(object, "rolledBack", saying: vault.path)
      expectError("rolledBack") { try object.item("a") }
      expectError("rolledBack") { try object.setPassphrase(Secret([1]), cost: .cheap) }
      expectError("rolledBack") { try object.salvageableItems() }
    }
  }

  /// The copy is a new file, or written over the newer one, as `cp` writes it.
  @Test(arguments: [true, false]) func olderCopyIsRefusedUntilItIsAccepted(isNewFile: Bool) throws {
    let object = vault.open()
    let old = try vault.writeTwice(by: object).old
    if isNewFile { try vault.replace(by: old) } else { try overwrite(from: 0, with: old[...]) }
    for refused in [object, vault.open()] { expectRolledBack(refused) }
    // The contents can be inspected before they are accepted.
    #expect(try object.salvageableItems(unlockingWith: [.device]).map(\.secret.text) == ["old"])
    let other = vault.open()
    try other.acceptRollback()
    for accepted in [other, object, vault.open()] { try accepted.expectSound(["a": "old"]) }
    try object.change("a", to: "newest")
    #expect(try vault.open().texts() == ["a": "newest"])
  }

  private func overwrite(from start: Int, with bytes: ArraySlice<UInt8>) throws {
    let file = try FileSystem().open(vault.path, O_RDWR)
    try file.truncate(to: start)
    try file.write(Array(bytes), at: start)
  }

  /// Returns the records of a file and of the one that replaces it, which continue their chain.
  private func joined(by replace: (SecretVault) throws -> Void) throws -> [UInt8] {
    let object = try vault.protected().adding("old", account: "a", .always)
    let old = try vault.bytes
    try replace(object)
    return try old + vault.bytes.dropFirst(FileHeader.size)
  }

  @Test func recordsBeforeTheRememberedStartAreRefused() throws {
    try vault.replace(by: joined { try $0.compact() })
    expectError("rolledBack", saying: "begins with record") { try vault.open().texts() }
  }

  /// Another object accepts a copy from before a rotation; this one first meets an older one still.
  @Test func acceptedCopyOfEarlierKeysIsReadAfterARefusal() throws {
    let object = try vault.open().adding("a", account: "a")
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
    try vault.replace(by: joined { try $0.rotateKeys(keeping: [.tests]) })
    try vault.forget()
    let damage = try vault.open().verify().damage
    #expect(damage.contains { $0.contains("under another user key") }, "\(damage)")
  }

  /// An older copy put back, and written to on a machine without remembered state.
  @Test(arguments: [1, 2, 3]) func forkIsRefused(_ writes: Int) throws {
    let object = vault.open()
    let old = try vault.writeTwice(by: object).old
    try object.change("a", to: "newer")
    let state = try vault.rememberedState()
    try vault.replace(by: old)
    try vault.forget()
    let forger = vault.open()
    for number in 0..<writes { try forger.change("a", to: "forked \(number)") }
    try vault.restoreState(state)
    expectRolledBack(vault.open())
    try vault.open().acceptRollback()
    try vault.open().expectSound(["a": "forked \(writes - 1)"])
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
    let writer = try vault.open().adding("value", account: "0")
    let reader = vault.open(
      fileSystem: .before(.open, on: ".state") { try writer.add("value", account: "1") })
    try reader.expectSound(["0": "value", "1": "value"])
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
    let (genuine, state) = try vault.snapshot
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
      fileSystem: .before(.open, on: ".place") {
        if found == .olderFile { return try vault.replace(by: genuine) }
        try overwrite(from: older.count, with: genuine[older.count...])
      })
    try object.expectSound(["a": "new", "b": "value", "c": "value"])
    #expect(try vault.bytes == genuine)
  }

  /// Bytes are appended to an older copy each time that a reader looks at it.
  @Test func readingEndsAlthoughTheFileAlwaysGrows() throws {
    try vault.replace(by: vault.writeTwice().old)
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
