import Concurrency
import StorageInternals
import Testing

@testable import SecretStorage

/// Cancelled and later resumed rotations.
struct VaultRotationResumingTests {
  private let vault = TestVault(batchSize: 20)
  private static let count = 46

  private func expectFinished(_ object: SecretVault, _ texts: [String: String]) throws {
    #expect(try !object.isRotationPending)
    #expect(try object.texts() == texts)
    #expect(try object.verify().isSound)
    #expect(try !CapturedKeys(object).table.hasOldKeys)
  }

  @Test(arguments: [0, 1, 21, 41])
  func cancelledRotationIsResumed(_ limit: Int) throws {
    let object = vault.open()
    try object.addMany(Self.count)
    let old = try CapturedKeys(object)
    try object.rotateKeys(givingUpAt: limit)
    var texts = SecretVault.many(Self.count)
    let other = vault.open()
    for reader in [object, other] {
      #expect(try reader.isRotationPending)
      #expect(try reader.texts() == texts)
      #expect(try reader.verify().isSound)
      // The user key is new from the first step on.
      #expect(try CapturedKeys(reader).user != old.user)
    }
    // Compaction keeps a resumable rotation, and finishes one that lacks only its end.
    try other.compact()
    #expect(try object.isRotationPending == (limit < 41))
    try other.change("3", to: "changed meanwhile")
    try other.remove("4")
    try other.add("added meanwhile", account: "new")
    texts["3"] = "changed meanwhile"
    texts["4"] = nil
    texts["new"] = "added meanwhile"
    let reports = Lock([MaintenanceProgress]())
    try other.resumeRotation { progress in
      reports.withLock { $0.append(progress) }
      return .proceed
    }
    let done = [0: 0, 1: 20, 21: 40, 41: 46][limit] ?? 0
    let changed = done == 0 ? 2 : 0
    if done < Self.count {
      #expect(reports.withLock { $0.first?.total } == Self.count - done - changed)
      #expect(reports.withLock { $0.last?.completed } == Self.count - done - changed)
    }
    for reader in [object, other, vault.open()] { try expectFinished(reader, texts) }
    #expect(try old.openings(in: vault.bytes, with: CapturedKeys(object)) == [])
  }

  @Test func rotationDuringRotationFinishesBoth() throws {
    let object = vault.open()
    try object.addMany(Self.count)
    let first = try CapturedKeys(object)
    try object.rotateKeys(givingUpAt: 1)
    let second = try CapturedKeys(object)
    try object.rotateKeys(givingUpAt: 21)
    let third = try CapturedKeys(object)
    // Three keys for some purposes.
    #expect(third.keys.count > 8 + 6)
    try vault.open().rotateKeys()
    try expectFinished(object, SecretVault.many(Self.count))
    let last = try CapturedKeys(object)
    for earlier in [first, second, third] {
      #expect(try earlier.openings(in: vault.bytes, with: last) == [])
    }
  }

  @Test func passphraseIsSetDuringRotation() throws {
    let object = vault.open()
    try object.addMany(Self.count)
    try object.rotateKeys(givingUpAt: 1)
    try object.setPassphrase(Secret("secret".utf8), cost: .cheap)
    let other = vault.open()
    #expect(try other.isRotationPending)
    #expect(throws: SecretStoreError.locked) { try other.resumeRotation() }
    try other.unlock(with: .passphrase(Secret("secret".utf8)))
    try other.resumeRotation()
    try expectFinished(object, SecretVault.many(Self.count))
  }

  @Test func lockedRotationIsResumedAfterUnlocking() throws {
    let object = vault.open()
    try object.addMany(Self.count)
    #expect(throws: SecretStoreError.locked) {
      try object.rotateKeys { progress in
        if progress.completed > 0 { object.lock() }
        return .proceed
      }
    }
    #expect(try object.isRotationPending)
    #expect(throws: SecretStoreError.locked) { try object.resumeRotation() }
    try object.unlock()
    try object.resumeRotation()
    try expectFinished(object, SecretVault.many(Self.count))
  }

  @Test func rotationOfARemovedVaultEnds() throws {
    let object = vault.open()
    try object.addMany(Self.count)
    try object.rotateKeys { [vault] _ in
      do throws(SystemError) { try FileSystem().unlink(vault.path) } catch {}
      return .proceed
    }
    #expect(try object.texts() == [:])
  }

  @Test(arguments: [false, true])
  func damagedVaultIsNotRotated(_ isPending: Bool) throws {
    let object = vault.open()
    try object.addMany(Self.count)
    if isPending { try object.rotateKeys(givingUpAt: 1) }
    // In a pending rotation, the items of this record are also in the earlier file.
    let last = try #require(TestVault.frames(of: try vault.bytes).last)
    try TestVault.change(vault.path, at: last.endIndex - 1, to: ~(try #require(last.last)))
    let before = try vault.bytes
    let other = vault.open()
    func rotate() throws { try isPending ? other.resumeRotation() : other.rotateKeys() }
    #expect(try failure(rotate).corrupted?.contains("repair") == true)
    #expect(try vault.bytes == before)
    #expect(try !other.repair().isEmpty)
    #expect(try other.isRotationPending == isPending)
    try rotate()
    try expectFinished(other, SecretVault.many(isPending ? Self.count : Self.count - 1))
  }

  @Test func copyFromDuringARotationIsRefused() throws {
    let object = vault.open()
    try object.addMany(Self.count)
    let copies = Lock([[UInt8]]())
    try object.rotateKeys { [vault] _ in
      let bytes = try? vault.bytes
      copies.withLock { $0.append(bytes ?? []) }
      return .proceed
    }
    let older = copies.withLock { $0 }
    #expect(older.count == 4)
    for copy in older {
      try vault.replace(by: copy)
      expectError("rolledBack") { _ = try vault.open().items(matching: .all) }
    }
  }

  @Test(arguments: [0, 20, 40])
  func cancelledCompactionChangesNothing(_ limit: Int) throws {
    let object = vault.open()
    try object.addMany(Self.count)
    let before = try vault.bytes
    #expect(throws: SecretStoreError.cancelled) {
      try object.compact { progress in
        #expect(progress.total == Self.count)
        return progress.completed > limit ? .cancel : .proceed
      }
    }
    #expect(try vault.bytes == before)
    try object.compact { _ in .proceed }
    #expect(try vault.bytes != before)
    #expect(try object.texts() == SecretVault.many(Self.count))
  }

  @Test func cancelledRepairChangesNothing() throws {
    try vault.open().addMany(Self.count)
    try TestVault.change(vault.path, at: 5000, to: ~vault.bytes[5000])
    let before = try vault.bytes
    #expect(throws: SecretStoreError.cancelled) { try vault.open().repair { _ in .cancel } }
    #expect(try vault.bytes == before)
    let completed = Lock([Int]())
    _ = try vault.open().repair { progress in
      completed.withLock { $0.append(progress.completed) }
      return .proceed
    }
    #expect(completed.withLock { $0.count } > 1)
    #expect(try vault.open().verify().isSound)
  }
}
