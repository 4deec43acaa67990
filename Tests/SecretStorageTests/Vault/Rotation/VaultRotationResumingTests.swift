import StorageInternals
import Testing

@testable import SecretStorage

struct VaultRotationResumingTests {
  private let vault = TestVault(batchSize: 20)
  private static let count = 46

  private func expectFinished(
    _ object: SecretVault, _ texts: [String: String] = SecretVault.many(count)
  ) throws {
    #expect(try !object.isRotationPending && !CapturedKeys(object).table.hasOldKeys)
    try object.expectSound(texts)
  }

  @Test(arguments: [0, 1, 21, 41]) func cancelledRotationIsResumed(_ limit: Int) throws {
    let object = try vault.openWithMany(Self.count)
    let old = try CapturedKeys(object)
    try object.rotateKeys(givingUpAt: limit)
    var texts = SecretVault.many(Self.count)
    let other = vault.open()
    for reader in [object, other] {
      // The user key is new from the first step on.
      #expect(try reader.isRotationPending && CapturedKeys(reader).user != old.user)
      try reader.expectSound(texts)
    }
    // Compaction keeps a resumable rotation, and finishes one that lacks only its end.
    try other.compact()
    #expect(try object.isRotationPending == (limit < 41))
    try other.change("3", to: "changed meanwhile")
    try other.remove("4")
    try other.add("added meanwhile", account: "new")
    (texts["3"], texts["4"], texts["new"]) = ("changed meanwhile", nil, "added meanwhile")
    let reports = try reports { try other.resumeRotation(reporting: $0) }
    // The items that the first rotation left, without the two that have new keys by their change.
    if let left = [0: 44, 1: 26, 21: 6][limit] {
      #expect(reports.first?.total == left && reports.last?.completed == left)
    }
    for reader in [object, other, vault.open()] { try expectFinished(reader, texts) }
    #expect(try old.openings(in: vault.bytes, with: CapturedKeys(object)) == [])
  }

  @Test func rotationDuringRotationFinishesBoth() throws {
    let object = try vault.openWithMany(Self.count)
    var earlier = [try CapturedKeys(object)]
    for limit in [1, 21] {
      try object.rotateKeys(givingUpAt: limit)
      earlier.append(try CapturedKeys(object))
    }
    // Three keys for some purposes.
    #expect(earlier[2].keys.count > 8 + 6)
    try vault.open().rotateKeys()
    try expectFinished(object)
    let last = try CapturedKeys(object)
    for keys in earlier { #expect(try keys.openings(in: vault.bytes, with: last) == []) }
  }

  @Test func passphraseIsSetDuringRotation() throws {
    let object = try vault.openWithMany(Self.count)
    try object.rotateKeys(givingUpAt: 1)
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    let other = vault.open()
    #expect(try other.isRotationPending)
    expectLocked { try other.resumeRotation() }
    try other.unlock(with: .tests)
    try other.resumeRotation()
    try expectFinished(object)
  }

  @Test func lockedRotationIsResumedAfterUnlocking() throws {
    let object = try vault.openWithMany(Self.count)
    expectLocked {
      try object.rotateKeys { progress in
        if progress.completed > 0 { object.lock() }
        return .proceed
      }
    }
    #expect(try object.isRotationPending)
    expectLocked { try object.resumeRotation() }
    try object.unlock()
    try object.resumeRotation()
    try expectFinished(object)
  }

  @Test func rotationOfARemovedVaultEnds() throws {
    let object = try vault.openWithMany(Self.count)
    try object.rotateKeys { [vault] _ in
      do throws(SystemError) { try FileSystem().unlink(vault.path) } catch {}
      return .proceed
    }
    #expect(try object.texts() == [:])
  }

  @Test(arguments: [false, true]) func damagedVaultIsNotRotated(_ isPending: Bool) throws {
    let object = try vault.openWithMany(Self.count)
    if isPending { try object.rotateKeys(givingUpAt: 1) }
    // In a pending rotation, the items of this record are also in the earlier file.
    try vault.damage()
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

  @Test(arguments: [0, 20, 40]) func cancelledCompactionChangesNothing(_ limit: Int) throws {
    let object = try vault.openWithMany(Self.count)
    let before = try vault.bytes
    expectError(.cancelled) {
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
    _ = try vault.openWithMany(Self.count)
    try vault.damage(at: 5000)
    let before = try vault.bytes
    expectError(.cancelled) { try vault.open().repair { _ in .cancel } }
    #expect(try vault.bytes == before)
    #expect(try reports { _ = try vault.open().repair(reporting: $0) }.count > 1)
    #expect(try vault.open().verify().isSound)
  }
}
