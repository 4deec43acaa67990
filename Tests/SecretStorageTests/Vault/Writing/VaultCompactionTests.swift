import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

struct VaultCompactionTests {
  private let vault = TestVault()

  /// A block of a compacted vault holds 256 items; a single item after it is a special case.
  @Test(arguments: [1, 255, 256, 257, 258, 513])
  func compactionKeepsEveryItem(_ count: Int) throws {
    let object = vault.open()
    for number in 0..<count { try object.add("value \(number)", account: "\(number)") }
    let before = try object.texts()
    #expect(before.count == count)
    try object.compact()
    #expect(try object.texts() == before)
    #expect(try vault.open().texts() == before)
    let verification = try object.verify()
    #expect(verification.isSound)
    #expect(verification.itemCount == count)
  }

  /// A counter of the calls of one kind on the vault's file.
  private final class Calls: Sendable {
    private let total = Lock(0)

    var value: Int { total.withLock { $0 } }

    func count() {
      total.withLock { $0 += 1 }
    }

    func fileSystem(counting wanted: FileSystem.Call, of suffix: String) -> FileSystem {
      FileSystem { call, path in
        if call == wanted, path.hasSuffix(suffix) { self.count() }
        return nil
      }
    }
  }

  @Test func compactedFileIsNoLargerThanTwiceWhatLives() throws {
    let object = vault.open()
    let value = String(repeating: "v", count: 1000)
    for number in 0..<20 { try object.add(value, account: "\(number)") }
    for round in 0..<5 {
      for number in 0..<20 { try object.change("\(number)", to: value + "\(round)") }
    }
    for number in 10..<20 { try object.remove("\(number)") }
    let before = try vault.bytes.count
    try object.compact()
    let after = try vault.bytes.count
    // A background compaction may have come first.
    #expect(after <= before)
    #expect(after < 2 * 10 * 1000)
    #expect(try vault.open().texts() == object.texts())
    #expect(try object.texts().count == 10)
  }

  @Test(.timeLimit(.minutes(30)))
  func overwrittenVaultIsCompactedInTheBackground() async throws {
    let object = vault.open()
    let value = String(repeating: "v", count: 4000)
    try object.add(value, account: "a")
    var largest = 0
    for round in 0..<100 {
      try object.change("a", to: value + "\(round)")
      largest = max(largest, try vault.bytes.count)
    }
    // The last write may have started another compaction.
    while try vault.bytes.count > 80_000 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(largest < 100 * 4000)
    #expect(try object.text("a") == value + "99")
    #expect(try vault.open().text("a") == value + "99")
    #expect(try object.verify().isSound)
  }

  /// After each failure, the log must grow by twice as much before the next attempt.
  @Test func compactionThatFailsIsTriedAgainLessAndLessOften() throws {
    let attempts = Calls()
    let isFull = Lock(false)
    let object = vault.open(
      fileSystem: FileSystem { call, path in
        let isAttempt = call == .rename && path.contains("/.secrets.vault.")
        guard isAttempt, isFull.withLock({ $0 }) else { return nil }
        attempts.count()
        return ENOSPC
      })
    let value = String(repeating: "v", count: 4000)
    try object.add(value, account: "a")
    isFull.withLock { $0 = true }
    func write(_ count: Int) throws {
      for round in 0..<count {
        try object.change("a", to: value + "\(round)")
        try wait { object.contents.withLock { !$0.compaction.isRunning } }
      }
    }
    try write(100)
    #expect((1...4).contains(attempts.value), "\(attempts.value)")
    try write(300)
    #expect((3...7).contains(attempts.value), "\(attempts.value)")
    #expect(try object.text("a") == value + "299")
    // With free space again, that growth is enough.
    isFull.withLock { $0 = false }
    try write(400)
    #expect(try vault.bytes.count < 500_000)
    #expect(try vault.open().text("a") == value + "399")
  }

  /// Long texts are live data like secrets, so a vault of them is not wasteful.
  @Test func vaultOfLongTextsIsNotCompactedAgainAndAgain() throws {
    let renames = Calls()
    let object = vault.open(fileSystem: renames.fileSystem(counting: .rename, of: ".tmp"))
    let comment = String(repeating: "c", count: 20_000)
    for number in 0..<30 {
      _ = try object.add(
        Secret([1]), identity: .generic(service: "campaign", account: "\(number)"),
        attributes: ItemAttributes(comment: comment))
    }
    // The device key and the vault.
    #expect(renames.value == 2)
    #expect(try vault.open().items(matching: .all).count == 30)
  }

  @Test func otherObjectsAndProcessesReadACompactedVault() throws {
    let object = vault.open()
    let other = vault.open()
    for number in 0..<10 { try object.add("value \(number)", account: "\(number)") }
    #expect(try other.texts().count == 10)
    try object.compact()
    #expect(try other.texts() == object.texts())
    try other.change("3", to: "changed")
    #expect(try object.text("3") == "changed")
    let output = try vault.path("output")
    try ChildProcess("read", on: vault, ["3"], journal: output).wait()
    #expect(try TestVault.bytes(of: output) == Array("changed\n".utf8))
    try other.compact()
    try object.compact()
    #expect(try vault.open().texts() == other.texts())
  }

  @Test func writesOfManyThreadsShareTheirWaits() throws {
    let waits = Calls()
    let object = vault.open(
      fileSystem: waits.fileSystem(counting: .fdatasync, of: "secrets.vault"))
    try object.add("0", account: "counter")
    try onThreads(8) { [vault] number in
      // Half of the threads use their own objects.
      let object = number < 6 ? object : vault.open()
      for round in 0..<25 {
        let account = "\(number)-\(round)"
        try object.add("first", account: account)
        try object.change(account, to: "second")
        if round % 5 == 0 { try object.remove(account) }
      }
    }
    #expect(waits.value < 6 * 25 * 2)
    let texts = try vault.open().texts()
    #expect(texts.count == 8 * 20 + 1)
    #expect(texts.values.filter { $0 == "second" }.count == 8 * 20)
    #expect(try object.texts() == texts)
    #expect(try object.verify().isSound)
  }

  @Test func oneOfManyThreadsAddsAnIdentity() throws {
    let object = vault.open()
    let added = Lock(0)
    onThreads(8) { number in
      for round in 0..<10 {
        do throws(SecretStoreError) {
          try object.add("\(number)", account: "\(round)")
          added.withLock { $0 += 1 }
        } catch {
          #expect(error == .duplicate)
        }
      }
    }
    #expect(added.withLock { $0 } == 10)
    #expect(try object.items(matching: .all).count == 10)
  }

  @Test(.timeLimit(.minutes(30)))
  func compactionEndsThoughOthersAlwaysWrite() throws {
    let object = vault.open()
    for number in 0..<300 { try object.add("value", account: "\(number)") }
    let journal = try vault.path("journal")
    let child = try ChildProcess("write", on: vault, ["2", "1800", "p"], journal: journal)
    while try FileSystem().status(of: journal)?.size ?? 0 == 0 { usleep(500) }
    for _ in 0..<3 { try object.compact() }
    child.stop()
    #expect(child.end() == SIGKILL)
    var names: Set<String> = []
    for number in 0..<300 { names.insert("\(number)") }
    try VaultJournal(journal).check(object, but: names)
  }
}
