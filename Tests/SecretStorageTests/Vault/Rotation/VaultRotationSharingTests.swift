import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Rotations of a vault that other objects and processes use.
struct VaultRotationSharingTests {
  private let vault = TestVault(batchSize: 20)
  private static let count = 60

  @Test func objectsReadAndWriteDuringRotation() throws {
    let object = try vault.openWithMany(Self.count)
    let other = vault.open()
    var texts = SecretVault.many(Self.count)
    var step = 0
    func change(by writer: SecretVault) throws {
      step += 1
      // An item that the rotation has done, and one that it has not.
      for account in ["\(step)", "\(59 - step)"] {
        texts[account] = "\(account) in step \(step)"
        try writer.change(account, to: "\(account) in step \(step)")
      }
      texts["new \(step)"] = "new"
      try writer.add("new", account: "new \(step)")
      texts["\(20 + step)"] = nil
      try writer.remove("\(20 + step)")
    }
    try object.rotateKeys { _ in
      #expect(throws: Never.self) {
        for reader in [object, other] {
          #expect(try reader.texts() == texts)
          try change(by: reader)
        }
        if step == 4 { try other.compact() }
      }
      return .proceed
    }
    #expect(step >= 8)
    for reader in [object, other, vault.open()] {
      try reader.expectSound(texts)
      #expect(try !reader.isRotationPending)
    }
  }

  /// A change of an item between its selection and the batch's write wins.
  @Test func changeBeforeTheNextBatchIsKept() throws {
    let other = try vault.openWithMany(10)
    let writes = Lock(0)
    let object = vault.open(
      // Before a batch acquires the lock.
      fileSystem: .before(.open, on: vault.path + ".lock") { _ in
        writes.withLock { $0 += 1 }
        // The first acquisition is for the beginning, the third for the end.
        if writes.withLock({ $0 }) != 2 { return }
        try other.change("3", to: "changed")
        try other.remove("4")
      })
    try object.rotateKeys()
    #expect(writes.withLock { $0 } == 3)
    var texts = SecretVault.many(10)
    (texts["3"], texts["4"]) = ("changed", nil)
    for reader in [object, other, vault.open()] { #expect(try reader.texts() == texts) }
  }

  @Test func rotationLocksObjectsWithoutASlot() throws {
    let object = try vault.protected()
    try object.addMany(20)
    let other = try vault.unlocked()
    #expect(try other.texts() == SecretVault.many(20))
    try object.rotate()
    #expect(try other.isLocked)
    expectLocked { try other.item("0") }
    expectLocked { try other.add("new", account: "new") }
    // Always accessible items stay readable.
    let always = try object.items(matching: .all).filter {
      $0.attributes.accessControl.accessibility == .always
    }
    #expect(try other.text(of: #require(always.first)) != nil)
    #expect(try other.verify().isSound)
    try other.unlock(with: .tests)
    #expect(try other.texts() == SecretVault.many(20))
  }

  /// A locked object keeps some keys, which must not produce answers from the earlier file.
  @Test func lockedObjectHasNoOldStates() throws {
    let object = try vault.protected()
    let item = try object.add("old", account: "a", .afterFirstUnlock)
    for number in 0..<30 { try object.add("value", account: "\(number)", .afterFirstUnlock) }
    let other = try vault.unlocked()
    _ = try other.item("a")
    other.lock()
    #expect(try other.text(of: item) == "old")
    try object.rotateKeys(keeping: [.tests], givingUpAt: 1)
    try object.change("a", to: "new")
    expectLocked { try other.text(of: item) }
    expectLocked { try other.item("a") }
    try other.unlock(with: .tests)
    #expect(try other.text(of: item) == "new")
  }

  @Test func rotationUnlocksNoLockedObject() throws {
    let object = try vault.openWithItem()
    let other = vault.open()
    #expect(try other.text("a") == "value")
    other.lock()
    try object.rotateKeys()
    #expect(try other.isLocked)
    expectLocked { try other.text("a") }
    try other.unlock()
    #expect(try other.text("a") == "value")
  }

  /// Other threads never see the rotating object locked.
  @Test func threadsUseTheRotatingObject() throws {
    let object = try vault.protected()
    try object.addMany(30)
    let rounds = Lock([0, 0, 0])
    let isDone = Lock(false)
    try onThreads(4) { thread in
      defer { isDone.withLock { $0 = true } }
      if thread == 3 {
        for _ in 0..<2 {
          try object.rotate { _ in
            // Each thread begins and ends a round in each step.
            let before = rounds.withLock { $0 }
            let isOver = { isDone.withLock { $0 } }
            let hasGoneOn = { zip(before, rounds.withLock { $0 }).allSatisfy { $0 + 2 <= $1 } }
            try? wait { isOver() || hasGoneOn() }
            return .proceed
          }
        }
        return
      }
      try object.add("0", account: "thread \(thread)")
      var round = 0
      while !isDone.withLock({ $0 }) {
        #expect(try object.text("\(round % 30)") == "value \(round % 30)")
        #expect(try object.text("thread \(thread)") == "\(round)")
        round += 1
        try object.change("thread \(thread)", to: "\(round)")
        rounds.withLock { $0[thread] += 1 }
      }
    }
    let other = try vault.unlocked()
    #expect(try other.texts().count == 33)
    #expect(try other.verify().isSound)
  }

  /// An object locked during the rename must not receive the new file's keys.
  @Test func objectLockedDuringTheRenameStaysLocked() throws {
    let locker = Lock<SecretVault?>(nil)
    let object = try vault.protected(
      fileSystem: .before(.rename) { _ in locker.withLock { $0?.lock() } })
    try object.addMany(10)
    locker.withLock { $0 = object }
    expectLocked { try object.rotate() }
    locker.withLock { $0 = nil }
    #expect(try object.isLocked)
    #expect(object.contents.withLock { $0.keys.ring.user == nil && $0.keys.pendingRing == nil })
    try object.unlock(with: .tests)
    try object.resumeRotation()
    #expect(try object.texts() == SecretVault.many(10))
  }

  /// Half of the processes have the vault unlocked, during rotations, slot changes and compactions.
  @Test func processesLoseNoWriteDuringRotations() throws {
    let object = try vault.protected().adding("always", account: "always", .always)
    try object.addMany(Self.count)
    let stop = try vault.path("stop")
    let count = Campaign.size(sample: 4, full: 16)
    let journals = try (0..<count).map { try vault.path("journal-\($0)") }
    let children = try journals.enumerated().map { number, journal in
      let passphrase = number % 2 == 0 ? TestVault.passphrase.text : "-"
      return try ChildProcess("accompany", on: vault, [passphrase, stop], journal: journal)
    }
    for round in 0..<Campaign.size(sample: 2, full: 100) {
      for (child, path) in zip(children, journals) {
        try child.wait(for: 8 * (round + 1), in: path)
      }
      try object.rotateKeys(keeping: [.tests], removingOtherSlots: true)
      let slot = try object.addSlot(.keyFile(vault.keyFile(UInt8(round))), named: "key file")
      try object.compact()
      try object.removeSlot(slot.id)
      let other = Secret("passphrase \(round)".utf8)
      let added = try object.addSlot(.passphrase(other), named: "other", cost: .cheap)
      #expect(try vault.open().isPassphrase(other))
      try object.removeSlot(added.id)
      #expect(try !vault.open().isPassphrase(other))
    }
    try FileSystem().replaceFile(at: stop, with: [])
    for child in children { try child.wait() }
    #expect(try object.verify().isSound)
    let texts = try object.texts().filter { !$0.key.hasPrefix("process ") }
    #expect(texts == SecretVault.many(Self.count).merging(["always": "always"]) { $1 })
  }

  /// Neither a later table of another user key nor alternating tables are accepted.
  @Test(arguments: [0, 1], [false, true])
  func forgedTableOfAnotherUserKeyIsDamage(_ forged: Int, _ hasItem: Bool) throws {
    let object = try vault.protected()
    if hasItem { try object.add("value", account: "a") }
    let bytes = try TestVault.changingTables(of: vault.bytes) { number, table in
      guard number == forged, let last = table.keys.lastIndex(where: { $0.purpose == .attributes })
      else { return }
      let key = table.keys[last]
      table.keys[last] = SealedKey(id: key.id ^ 1, purpose: key.purpose, copies: key.copies)
    }
    try vault.replace(by: bytes)
    let other = vault.open()
    for _ in 0..<2 {
      // Whether there is an error depends on the table that is read.
      do { try other.unlock(with: .tests) } catch {
        #expect((error as? SecretStoreError)?.corrupted != nil, "\(error)")
      }
    }
    #expect(try !other.verify().isSound)
    #expect(try !object.verify().isSound)
  }
}
