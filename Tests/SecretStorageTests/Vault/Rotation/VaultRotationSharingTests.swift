import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Rotations of a vault that other objects and processes use.
struct VaultRotationSharingTests {
  private let vault = TestVault(batchSize: 20)
  private let passphrase = Secret("correct horse".utf8)
  private static let count = 60

  @Test func objectsReadAndWriteDuringRotation() throws {
    let object = vault.open()
    try object.addMany(Self.count)
    let other = vault.open()
    let texts = Lock(SecretVault.many(Self.count))
    let steps = Lock(0)
    func change(_ account: String, by writer: SecretVault, _ step: Int) throws {
      // An item that the rotation has done, and one that it has not.
      for account in [account, "\(59 - step)"] {
        try writer.change(account, to: "\(account) in step \(step)")
        texts.withLock { $0[account] = "\(account) in step \(step)" }
      }
      try writer.add("new", account: "new \(step)")
      try writer.remove("\(20 + step)")
      texts.withLock { texts in
        texts["new \(step)"] = "new"
        texts["\(20 + step)"] = nil
      }
    }
    var failure: (any Error)?
    try object.rotateKeys { progress in
      let step = steps.withLock { steps in
        steps += 1
        return steps
      }
      do {
        for reader in [object, other] {
          #expect(try reader.texts() == texts.withLock { $0 })
          try change("\(step)", by: reader, step * 2 + (reader === other ? 1 : 0))
        }
        if step == 2 { try other.compact() }
      } catch {
        failure = error
      }
      return .proceed
    }
    if let failure { throw failure }
    #expect(steps.withLock { $0 } >= 4)
    for reader in [object, other, vault.open()] {
      #expect(try reader.texts() == texts.withLock { $0 })
      #expect(try reader.verify().isSound)
      #expect(try !reader.isRotationPending)
    }
  }

  /// A change of an item between its selection and the batch's write wins.
  @Test func changeBeforeTheNextBatchIsKept() throws {
    let other = vault.open()
    try other.addMany(10)
    let writes = Lock(0)
    let object = vault.open(
      fileSystem: FileSystem { [vault] call, path in
        // Before a batch acquires the lock.
        guard call == .open, path == vault.path + ".lock" else { return nil }
        let round = writes.withLock { writes in
          writes += 1
          return writes
        }
        // The first acquisition is for the beginning, the third for the end.
        guard round == 2 else { return nil }
        do {
          try other.change("3", to: "changed")
          try other.remove("4")
        } catch {
          Issue.record(error)
        }
        return nil
      })
    try object.rotateKeys()
    #expect(writes.withLock { $0 } == 3)
    var texts = SecretVault.many(10)
    texts["3"] = "changed"
    texts["4"] = nil
    for reader in [object, other, vault.open()] { #expect(try reader.texts() == texts) }
  }

  @Test func rotationLocksObjectsWithoutASlot() throws {
    let object = vault.open()
    try object.addMany(20)
    try object.setPassphrase(passphrase, cost: .cheap)
    let other = vault.open()
    try other.unlock(with: .passphrase(passphrase))
    #expect(try other.texts() == SecretVault.many(20))
    try object.rotateKeys(keeping: [.passphrase(passphrase)])
    #expect(try other.isLocked)
    #expect(throws: SecretStoreError.locked) { try other.item("0") }
    #expect(throws: SecretStoreError.locked) { try other.add("new", account: "new") }
    // Always accessible items stay readable.
    let always = try #require(try object.items(matching: .all).first { $0.isAlways })
    #expect(try other.secret(of: always.id) != nil)
    #expect(try other.verify().isSound)
    try other.unlock(with: .passphrase(passphrase))
    #expect(try other.texts() == SecretVault.many(20))
  }

  /// A locked object keeps some keys, which must not produce answers from the earlier file.
  @Test func lockedObjectHasNoOldStates() throws {
    let object = vault.open()
    try object.setPassphrase(passphrase, cost: .cheap)
    try object.add("old", account: "a", .afterFirstUnlock)
    for number in 0..<30 { try object.add("value", account: "\(number)", .afterFirstUnlock) }
    let other = vault.open()
    try other.unlock(with: .passphrase(passphrase))
    let item = try #require(try other.item("a"))
    other.lock()
    #expect(try other.text(of: item) == "old")
    try object.rotateKeys(keeping: [.passphrase(passphrase)], givingUpAt: 1)
    try object.change("a", to: "new")
    #expect(throws: SecretStoreError.locked) { try other.text(of: item) }
    #expect(throws: SecretStoreError.locked) { try other.item("a") }
    try other.unlock(with: .passphrase(passphrase))
    #expect(try other.text(of: item) == "new")
  }

  @Test func rotationUnlocksNoLockedObject() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let other = vault.open()
    #expect(try other.text("a") == "value")
    other.lock()
    try object.rotateKeys()
    #expect(try other.isLocked)
    #expect(throws: SecretStoreError.locked) { try other.text("a") }
    try other.unlock()
    #expect(try other.text("a") == "value")
  }

  /// Other threads never see the rotating object locked.
  @Test func threadsUseTheRotatingObject() throws {
    let object = vault.open()
    try object.addMany(30)
    try object.setPassphrase(passphrase, cost: .cheap)
    let rounds = Lock([0, 0, 0])
    let isDone = Lock(false)
    try onThreads(4) { [passphrase] thread in
      defer { isDone.withLock { $0 = true } }
      if thread == 3 {
        for _ in 0..<2 {
          try object.rotateKeys(keeping: [.passphrase(passphrase)]) { _ in
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
    let other = vault.open()
    try other.unlock(with: .passphrase(passphrase))
    #expect(try other.texts().count == 33)
    #expect(try other.verify().isSound)
  }

  /// An object locked during the rename must not receive the new file's keys.
  @Test func objectLockedDuringTheRenameStaysLocked() throws {
    let locker = Lock<SecretVault?>(nil)
    let object = vault.open(
      fileSystem: FileSystem { call, _ in
        if call == .rename { locker.withLock { $0?.lock() } }
        return nil
      })
    try object.addMany(10)
    try object.setPassphrase(passphrase, cost: .cheap)
    locker.withLock { $0 = object }
    #expect(throws: SecretStoreError.locked) {
      try object.rotateKeys(keeping: [.passphrase(passphrase)])
    }
    locker.withLock { $0 = nil }
    #expect(try object.isLocked)
    #expect(object.contents.withLock { $0.keys.ring.user == nil && $0.keys.pendingRing == nil })
    try object.unlock(with: .passphrase(passphrase))
    try object.resumeRotation()
    #expect(try object.texts() == SecretVault.many(10))
  }

  @Test func processesWriteDuringRotations() throws {
    let object = vault.open()
    try object.addMany(Self.count)
    let paths = try (0..<2).map { try vault.path("journal-\($0)") }
    let children = try paths.map { path in
      try ChildProcess("write", on: vault, ["2", "-", path], journal: path)
    }
    for round in 1...Campaign.size(sample: 2, full: 20) {
      for (child, path) in zip(children, paths) { try child.wait(for: 8 * round, in: path) }
      try object.rotateKeys()
    }
    var journal = VaultJournal()
    for (child, path) in zip(children, paths) {
      try child.kill(after: 1, of: path)
      try journal.add(path)
    }
    let many = SecretVault.many(Self.count)
    let reader = vault.open()
    try journal.check(reader, but: Set(many.keys))
    #expect(try reader.texts().filter { many[$0.key] != nil } == many)
    #expect(try reader.verify().isSound)
  }

  /// Half of the processes have the vault unlocked, during rotations, slot changes and compactions.
  @Test func processesGoOnDuringSlotChanges() throws {
    let object = vault.open()
    try object.setPassphrase(passphrase, cost: .cheap)
    try object.add("always", account: "always", .always)
    let stop = try vault.path("stop")
    let journals = try (0..<Campaign.size(sample: 4, full: 16)).map {
      try vault.path("journal-\($0)")
    }
    let children = try journals.enumerated().map { number, journal in
      try ChildProcess(
        "accompany", on: vault, [number % 2 == 0 ? passphrase.text : "-", stop], journal: journal)
    }
    for round in 0..<Campaign.size(sample: 2, full: 100) {
      for (child, path) in zip(children, journals) { try child.wait(for: round + 1, in: path) }
      try object.rotateKeys(keeping: [.passphrase(passphrase)], removingOtherSlots: true)
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
    #expect(try object.text("always") == "always")
  }

  @Test func anotherProcessResumesARotation() throws {
    let object = vault.open()
    try object.addMany(Self.count)
    try object.rotateKeys(givingUpAt: 1)
    let output = try vault.path("output")
    try ChildProcess("read", on: vault, ["59"], journal: output).wait()
    try ChildProcess("resume", on: vault, [], journal: output).wait()
    try ChildProcess("read", on: vault, ["1"], journal: output).wait()
    #expect(try TestVault.bytes(of: output) == Array("value 59\nvalue 1\n".utf8))
    #expect(try !object.isRotationPending)
    #expect(try object.texts() == SecretVault.many(Self.count))
  }

  /// Neither a later table of another user key nor alternating tables are accepted.
  @Test(arguments: [0, 1], [false, true])
  func forgedTableOfAnotherUserKeyIsDamage(_ forged: Int, _ hasItem: Bool) throws {
    let object = vault.open()
    try object.setPassphrase(passphrase, cost: .cheap)
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
      do {
        try other.unlock(with: .passphrase(passphrase))
      } catch SecretStoreError.corrupted {
        // Expected if the forged table is read.
      } catch {
        Issue.record(error)
      }
    }
    #expect(try !other.verify().isSound)
    #expect(try !object.verify().isSound)
  }
}

extension SecretItem {
  fileprivate var isAlways: Bool { attributes.accessControl.accessibility == .always }
}
