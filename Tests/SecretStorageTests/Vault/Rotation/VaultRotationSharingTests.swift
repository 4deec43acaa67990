import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Rotations of a vault that other objects and processes use.
struct VaultRotationSharingTests {
  private let vault = TestVault()
  private let passphrase = Secret("correct horse".utf8)
  private static let count = 600

  @Test func othersReadAndWriteMeanwhile() throws {
    let object = vault.open()
    try object.addMany(Self.count)
    let other = vault.open()
    let texts = Lock(SecretVault.many(Self.count))
    let steps = Lock(0)
    func change(_ account: String, by writer: SecretVault, _ step: Int) throws {
      // An item that the rotation has done, and one that it has not.
      for account in [account, "\(599 - step)"] {
        try writer.change(account, to: "\(account) in step \(step)")
        texts.withLock { $0[account] = "\(account) in step \(step)" }
      }
      try writer.add("new", account: "new \(step)")
      try writer.remove("\(300 + step)")
      texts.withLock { texts in
        texts["new \(step)"] = "new"
        texts["\(300 + step)"] = nil
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
          try change("\(step)", by: reader, step * 10 + (reader === other ? 1 : 2))
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
  @Test func changeOfAnItemThatIsNextIsNotLost() throws {
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

  @Test func objectWithoutASlotAtHandMustUnlockAgain() throws {
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
  @Test func lockedObjectDoesNotAnswerWithOldStates() throws {
    let object = vault.open()
    try object.setPassphrase(passphrase, cost: .cheap)
    try object.add("old", account: "a", .afterFirstUnlock)
    for number in 0..<300 { try object.add("value", account: "\(number)", .afterFirstUnlock) }
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

  @Test func lockedObjectStaysLockedThoughTheDeviceOpensTheVault() throws {
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
  @Test func threadsOfTheSameObjectNoticeNothing() throws {
    let object = vault.open()
    try object.addMany(300)
    try object.setPassphrase(passphrase, cost: .cheap)
    let isDone = Lock(false)
    try onThreads(4) { [passphrase] number in
      if number == 0 {
        defer { isDone.withLock { $0 = true } }
        for _ in 0..<10 { try object.rotateKeys(keeping: [.passphrase(passphrase)]) }
        return
      }
      var round = 0
      try object.add("0", account: "thread \(number)")
      while !isDone.withLock({ $0 }) {
        #expect(try object.text("\(round % 300)") == "value \(round % 300)")
        #expect(try object.text("thread \(number)") == "\(round)")
        round += 1
        try object.change("thread \(number)", to: "\(round)")
      }
    }
    let other = vault.open()
    try other.unlock(with: .passphrase(passphrase))
    #expect(try other.texts().count == 303)
    #expect(try other.verify().isSound)
  }

  /// An object locked during the rename must not receive the new file's keys.
  @Test func objectThatIsLockedWhileTheFileIsPutInPlaceStaysLocked() throws {
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

  @Test func processesWriteWhileKeysAreRotated() throws {
    let object = vault.open()
    try object.addMany(Self.count)
    let seconds = Campaign.size(sample: 2, full: 10)
    let journals = try (0..<2).map { try vault.path("journal-\($0)") }
    let children = try journals.enumerated().map { number, journal in
      try ChildProcess(
        "write", on: vault, ["2", "\(seconds)", "p\(number)"], journal: journal)
    }
    var rotations = 0
    repeat {
      try object.rotateKeys()
      rotations += 1
    } while !children.allSatisfy(\.hasEnded)
    for child in children { try child.wait() }
    #expect(rotations > 1)
    let many = Set(SecretVault.many(Self.count).keys)
    let whole = try vault.path("journal")
    for journal in journals { try TestVault.append(TestVault.bytes(of: journal), to: whole) }
    let journal = try VaultJournal(whole)
    #expect(journal.acknowledgementCount > 0)
    let reader = vault.open()
    try journal.check(reader, but: many)
    #expect(try reader.texts().filter { many.contains($0.key) } == SecretVault.many(Self.count))
    #expect(try reader.verify().isSound)
  }

  /// Eight processes with the vault unlocked and eight with it locked, during rotations, slot
  /// changes and compactions.
  @Test func sixteenProcessesGoOnMeanwhile() throws {
    let object = vault.open()
    try object.setPassphrase(passphrase, cost: .cheap)
    try object.add("always", account: "always", .always)
    let stop = try vault.path("stop")
    let journals = try (0..<16).map { try vault.path("journal-\($0)") }
    let children = try journals.enumerated().map { number, journal in
      try ChildProcess(
        "accompany", on: vault, [number < 8 ? passphrase.text : "-", stop], journal: journal)
    }
    var round = 0
    // On a busy machine, a child has done nothing yet after the first rounds.
    while try round < Campaign.size(sample: 2, full: 100)
      || journals.contains(where: { try TestVault.bytes(of: $0).isEmpty })
    {
      try object.rotateKeys(keeping: [.passphrase(passphrase)], removingOtherSlots: true)
      let slot = try object.addSlot(.keyFile(vault.keyFile(UInt8(round))), named: "key file")
      try object.compact()
      try object.removeSlot(slot.id)
      let other = Secret("passphrase \(round)".utf8)
      let added = try object.addSlot(.passphrase(other), named: "other", cost: .cheap)
      #expect(try vault.open().isPassphrase(other))
      try object.removeSlot(added.id)
      #expect(try !vault.open().isPassphrase(other))
      for child in children { try #require(!child.hasEnded) }
      round += 1
    }
    try FileSystem().replaceFile(at: stop, with: [UInt8]())
    for child in children { try child.wait() }
    #expect(try object.verify().isSound)
    #expect(try object.text("always") == "always")
  }

  @Test func anotherProcessResumesAndReads() throws {
    let object = vault.open()
    try object.addMany(Self.count)
    try object.rotateKeys(givingUpAt: 1)
    let output = try vault.path("output")
    try ChildProcess("read", on: vault, ["599"], journal: output).wait()
    try ChildProcess("resume", on: vault, [], journal: output).wait()
    try ChildProcess("read", on: vault, ["1"], journal: output).wait()
    #expect(try TestVault.bytes(of: output) == Array("value 599\nvalue 1\n".utf8))
    #expect(try !object.isRotationPending)
    #expect(try object.texts() == SecretVault.many(Self.count))
  }

  /// Neither a later table of another user key nor alternating tables are accepted.
  @Test(.timeLimit(.minutes(30)), arguments: [0, 1], [false, true])
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
