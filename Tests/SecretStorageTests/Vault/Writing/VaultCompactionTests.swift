import CipherSupport
import CLibrary
import Concurrency
import Dispatch
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

struct VaultCompactionTests {
  private let vault = TestVault(batchSize: 4)

  /// A single item after full blocks is a special case.
  @Test(arguments: [1, 3, 4, 5, 9]) func compactionKeepsTheCurrentItems(_ count: Int) throws {
    let object = vault.open()
    for number in 0..<count + 2 { try object.add("first", account: "\(number)") }
    for number in 0..<count { try object.change("\(number)", to: "value \(number)") }
    for number in count..<count + 2 { try object.remove("\(number)") }
    try object.compact()
    for reader in [object, vault.open()] { try reader.expectSound(SecretVault.many(count)) }
    // Three tables and the blocks.
    #expect(try vault.frames.count == 3 + (count + 3) / 4)
  }

  private func waitForCompaction(of object: SecretVault) throws {
    try wait { object.contents.withLock { !$0.session.compaction.isRunning } }
  }

  @Test func overwrittenVaultIsCompactedInTheBackground() throws {
    let object = vault.open()
    let value = String(repeating: "v", count: 16_000)
    try object.add(value, account: "a")
    // A compaction beside writes copies several states of an item, which are unused space as well.
    try object.compact { _ in
      #expect(throws: Never.self) { try object.change("a", to: value) }
      return .proceed
    }
    for round in 0..<8 {
      try object.change("a", to: value + "\(round)")
      try waitForCompaction(of: object)
      // 64 KiB and 7/4 of the item, without another state.
      #expect(try vault.bytes.count < 95_000)
    }
    for reader in [object, vault.open()] { #expect(try reader.text("a") == value + "7") }
  }

  /// After each failure, the log must grow by twice as much before the next attempt.
  @Test func failingCompactionIsRetriedLessAndLessOften() throws {
    let attempts = Lock(0)
    let isFull = Lock(false)
    let object = vault.open(
      fileSystem: FileSystem { call, path in
        let isAttempt = call == .rename && path.contains("/.secrets.vault.")
        guard isAttempt, isFull.withLock({ $0 }) else { return nil }
        attempts.withLock { $0 += 1 }
        return ENOSPC
      })
    let value = String(repeating: "v", count: 16_000)
    try object.add(value, account: "a")
    isFull.withLock { $0 = true }
    func write(_ count: Int) throws {
      for round in 0..<count {
        try object.change("a", to: value + "\(round)")
        try waitForCompaction(of: object)
      }
    }
    try write(25)
    #expect((1...4).contains(attempts.withLock { $0 }))
    try write(75)
    #expect((3...7).contains(attempts.withLock { $0 }))
    #expect(try object.text("a") == value + "74")
    // With free space again, that growth is enough.
    isFull.withLock { $0 = false }
    try write(100)
    #expect(try vault.bytes.count < 500_000)
    #expect(try vault.open().text("a") == value + "99")
  }

  /// Long texts are live data like secrets, so a vault of them is not wasteful.
  @Test func longTextsCauseNoCompaction() throws {
    let log = CallLog(.rename, on: ".tmp")
    let object = vault.open(fileSystem: log.fileSystem)
    let comment = String(repeating: "c", count: 20_000)
    for number in 0..<12 {
      _ = try object.add(
        Secret([1]), identity: .generic(service: "campaign", account: "\(number)"),
        attributes: ItemAttributes(comment: comment))
    }
    try waitForCompaction(of: object)
    // The device key and the vault.
    #expect(log.take().count == 2)
    #expect(try vault.open().items(matching: .all).count == 12)
  }

  /// The first write is held until all others are queued behind it.
  @Test func queuedWritesShareOneFlush() throws {
    let flushes = Lock(0)
    let (isBegun, isQueued) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let object = vault.open(
      fileSystem: .before(.fdatasync, on: vault.path) { _ in
        let isFirst = flushes.withLock { flushes in
          flushes += 1
          return flushes == 1
        }
        if isFirst {
          isBegun.signal()
          isQueued.wait()
        }
      })
    try vault.open().add("value", account: "0")
    try onThreads(9) { number in
      if number == 0 {
        isBegun.wait()
        try wait { object.writes.waitingCount == 8 }
        isQueued.signal()
      } else {
        if number > 1 { try wait { flushes.withLock { $0 == 1 } } }
        try object.add("value", account: "\(number)")
      }
    }
    #expect(flushes.withLock { $0 } == 2)
    for reader in [object, vault.open()] { #expect(try reader.texts().count == 9) }
    #expect(try object.verify().isSound)
  }

  /// A change of the attributes' key writes two records.
  @Test func failedChangeLeavesNoRecordInItsBatch() throws {
    let (isBegun, isQueued) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let cipher = FailingCipher()
    let object = vault.open(
      cipher: cipher,
      fileSystem: .before(.fdatasync, on: vault.path) {
        isBegun.signal()
        isQueued.wait()
      })
    let item = try vault.open().add("value", account: "a")
    let always = ItemAttributes(accessControl: AccessControl(.always))
    try onThreads(4) { number in
      switch number {
      case 0: try object.add("value", account: "held")
      case 1:
        isBegun.wait()
        cipher.sealsUntilFailure.withLock { $0 = 3 }
        expectError(FailingCipher.error) { try object.change(item, always) }
      case 2:
        try wait { object.writes.waitingCount == 2 }
        try object.add("value", account: "b")
      default:
        try wait { object.writes.waitingCount == 3 }
        isQueued.signal()
      }
    }
    let other = vault.open()
    #expect(try other.item("a") == item)
    try other.expectSound(["a": "value", "held": "value", "b": "value"])
    // The third seal, which failed, is that of the second record.
    cipher.sealsUntilFailure.withLock { $0 = 4 }
    try object.change(item, always)
    #expect(cipher.sealsUntilFailure.withLock { $0 } == 1)
  }

  @Test func compactionEndsDespiteConstantWrites() throws {
    let object = try vault.openWithMany(60)
    let journal = try vault.path("journal")
    let child = try ChildProcess("write", on: vault, ["4", "-", "p"], journal: journal)
    for round in 1...3 {
      try child.wait(for: 10 * round, in: journal)
      try object.compact()
    }
    try child.kill(after: 40, of: journal)
    try VaultJournal(journal).check(object, but: Set(SecretVault.many(60).keys))
  }
}

/// A cipher that fails to seal one message.
private struct FailingCipher: ForwardingCipher {
  static let error = SecretStoreError.unavailable("The message cannot be sealed.")

  let cipher = TestCipher()
  /// The number of seals up to the one that fails; none fails if the number is not positive.
  let sealsUntilFailure = Lock(0)

  func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8] {
    let isFailing = sealsUntilFailure.withLock { count in
      count -= 1
      return count == 0
    }
    if isFailing { throw Self.error }
    return try cipher.seal(plaintext, with: key, authenticating: context)
  }
}
