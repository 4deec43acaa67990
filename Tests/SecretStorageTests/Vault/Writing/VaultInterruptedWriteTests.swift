import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// The remains of a power failure at the end of a vault, as opposed to damage.
struct VaultInterruptedWriteTests {
  /// Bytes that a power failure may leave behind the last record.
  enum Tail: CaseIterable {
    case head, noMiddle, noHead

    func bytes(of record: ArraySlice<UInt8>) -> [UInt8] {
      let zeros =
        switch self {
        case .head: 100..<max(5100, record.count)
        case .noMiddle: 1000..<3000
        case .noHead: 0..<2000
        }
      return record.prefix(zeros.lowerBound) + [UInt8](repeating: 0, count: zeros.count)
        + record.dropFirst(zeros.upperBound)
    }
  }

  /// The remembered state of a truncated vault: that of its rest, or of the whole vault.
  enum Memory: CaseIterable { case rest, whole, nothing }

  private let vault = TestVault()

  private func filled() throws -> SecretVault {
    let object = vault.open()
    for account in ["a", "b"] { try object.add(account, account: account) }
    return object
  }

  /// Fills the vault, and removes and returns its last record.
  private func interrupt() throws -> ArraySlice<UInt8> {
    let object = try filled()
    let state = try vault.rememberedState()
    try object.add(String(repeating: "x", count: 4000), account: "c")
    let bytes = try vault.bytes
    let last = try #require(TestVault.frames(of: bytes).last)
    try vault.restore(bytes[..<last.startIndex], state)
    return last
  }

  @Test(arguments: Tail.allCases, [true, false])
  func interruptedWriteIsIgnored(_ tail: Tail, _ isRemembered: Bool) throws {
    let record = try interrupt()
    if !isRemembered { try vault.forget() }
    let size = try vault.bytes.count
    try TestVault.append(tail.bytes(of: record), to: vault.path)
    let object = vault.open()
    #expect(try object.texts() == ["a": "a", "b": "b"])
    let found = try object.verify()
    #expect(found.isSound)
    #expect(found.interruptedWrite?.contains("bytes \(size)..<") == true)
    #expect(object.diagnose()["Interrupted write"]?.contains("bytes \(size)..<") == true)
    try object.add("d", account: "d")
    for reader in [object, vault.open()] {
      try reader.expectSound(["a": "a", "b": "b", "d": "d"])
      #expect(try reader.verify().interruptedWrite == nil)
    }
  }

  @Test func wholeWriteThatIsNoRecordIsDamage() throws {
    try TestVault.append(Array(interrupt()), to: vault.path)
    try vault.damage()
    let remembering = vault.open()
    #expect(try remembering.texts() == ["a": "a", "b": "b"])
    #expect(try remembering.verify().interruptedWrite != nil)
    try vault.forget()
    let object = vault.open()
    #expect(throws: SecretStoreError.self) { try object.texts() }
    #expect(try !object.verify().isSound)
    expectError("corrupted", saying: "repair()") { try object.add("d", account: "d") }
    #expect(try !object.repair().isEmpty)
    #expect(try object.texts() == ["a": "a", "b": "b"])
  }

  /// Of a write's records, a later one may reach the disk without an earlier one.
  @Test func interruptedWriteIsAtomic() throws {
    let object = try filled()
    let state = try vault.rememberedState()
    let before = try vault.bytes.count
    // Two records: the item under another key, and its removal under the old one.
    try object.move("b", to: .always)
    let after = try vault.bytes
    try object.add("c", account: "c")
    let later = try vault.bytes
    func damaged(_ bytes: [UInt8]) throws -> SecretVault {
      var bytes = bytes
      for place in (before + 60)..<(before + 200) { bytes[place] = ~bytes[place] }
      try vault.restore(bytes, state)
      return vault.open()
    }
    let opened = try damaged(after)
    #expect(try opened.texts() == ["a": "a", "b": "b"])
    #expect(try opened.item("b")?.attributes.accessControl.accessibility == .whenUnlocked)
    let found = try opened.verify()
    #expect(found.isSound && found.interruptedWrite != nil)
    try opened.add("d", account: "d")
    #expect(try vault.open().texts() == ["a": "a", "b": "b", "d": "d"])
    #expect(try vault.open().verify().interruptedWrite == nil)

    // The later write began after that one was acknowledged.
    let broken = try damaged(later)
    #expect(throws: SecretStoreError.self) { try broken.texts() }
    #expect(try !broken.verify().isSound)
  }

  /// Otherwise, records of the truncated part could appear behind the new ones.
  @Test func truncationIsFlushedBeforeTheAppend() throws {
    try vault.open().add("a", account: "a")
    try TestVault.append(Frame.magic + [7, 0], to: vault.path)
    let log = CallLog(.ftruncate, .fsync, .write, on: vault.path)
    try vault.open(fileSystem: log.fileSystem).add("b", account: "b")
    #expect(log.take() == ["ftruncate", "fsync", "write"].map { "\($0) \(vault.path)" })
  }

  @Test func stateIsFlushedOnceForEachLog() throws {
    let log = CallLog(.fsync, .fdatasync)
    let object = vault.open(fileSystem: log.fileSystem)
    var calls: [String] = []
    func synchronized(_ work: () throws -> Void) rethrows -> Int {
      _ = log.take()
      try work()
      calls = log.take()
      return calls.count { $0.hasPrefix("fsync ") && $0.hasSuffix(".state") }
    }
    #expect(try synchronized { try object.add("a", account: "a") } == 1)
    // The directory is synchronized too, because the file is new.
    #expect(calls.last { $0.hasPrefix("fsync ") } == "fsync \(vault.statePath)")
    #expect(try synchronized { for n in 0..<5 { try object.add("b", account: "b\(n)") } } == 0)
    #expect(try synchronized { try object.compact() } == 1)
    #expect(try synchronized { try object.add("c", account: "c") } == 0)
    #expect(try synchronized { try object.rotateKeys() } == 2)
    #expect(try synchronized { try object.add("d", account: "d") } == 0)
    // A machine that does not know the log records it before it appends.
    try vault.forget()
    let other = vault.open(fileSystem: log.fileSystem)
    #expect(try synchronized { try other.add("e", account: "e") } == 1)
    #expect(calls.last == "fdatasync \(vault.path)", "\(calls)")
  }

  @Test func powerFailureIsReportedOnce() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let heard = hearFailures()
        let vault = TestVault()
        try vault.open().add("a", account: "a")
        try TestVault.append(Frame.magic + [7, 0], to: vault.path)
        #expect(try vault.open().verify().interruptedWrite != nil)
        try vault.open().add("b", account: "b")
        try TestVault.append([UInt8](repeating: 0, count: 700) + [1], to: vault.path)
        let object = vault.open()
        for _ in 0..<3 { #expect(try object.texts().count == 2) }
        object.lock()
        try object.unlock()
        #expect(try object.texts().count == 2)
        object.finishBackgroundWork()
        #expect(heard.all.count == 1)
        #expect(heard.all.first?.description.contains("power failure") == true)
      }
    }
  }

  /// The lengths are from one byte less to several records less.
  @Test(arguments: Memory.allCases) func truncatedVaultHasItsWholeRecords(_ memory: Memory) throws {
    let object = vault.open()
    // The state after each write.
    var snapshots: [(size: Int, texts: [String: String], state: [String: [UInt8]])] = []
    func step(_ work: () throws -> Void) throws {
      try work()
      snapshots.append((try vault.bytes.count, try object.texts(), try vault.rememberedState()))
    }
    try step { try object.add("first", account: "a") }
    try step { try object.add(String(repeating: "x", count: 500), account: "b") }
    try step { try object.change("a", to: "second") }
    try step { try object.remove("b") }
    try step { try object.add("third", account: "c") }
    let whole = try vault.bytes
    let newest = try #require(snapshots.last)
    let step = Campaign.size(sample: 131, full: 1)
    for size in snapshots[0].size..<whole.count
    where size % step == 0 || snapshots.contains(where: { $0.size == size }) {
      let before = try #require(snapshots.last { $0.size <= size })
      try vault.replace(by: whole[..<size])
      try vault.restoreState([.rest: before.state, .whole: newest.state][memory] ?? [:])
      let opened = vault.open()
      if memory == .whole {
        expectError("rolledBack") { try opened.texts() }
        expectError("rolledBack") { try opened.add("new", account: "new") }
        try opened.acceptRollback()
      }
      #expect(try opened.texts() == before.texts, "cut at \(size)")
      try opened.add("new", account: "new")
      #expect(try opened.verify().isSound)
      // The torn record is removed completely.
      let bytes = try vault.bytes
      #expect(TestVault.frames(of: bytes).last?.endIndex == bytes.count)
      try vault.open().expectSound(before.texts.merging(["new": "new"]) { $1 })
    }
  }

  @Test func vaultWithoutItsFirstItemIsNotEmpty() throws {
    try vault.open().add("value", account: "a")
    let whole = try vault.bytes
    let end = try #require(TestVault.frames(of: whole).first).endIndex
    try vault.forget()
    let step = Campaign.size(sample: 61, full: 1)
    for size in 0..<end where size % step == 0 || [FileHeader.size, end - 1].contains(size) {
      try vault.replace(by: whole[..<size])
      let object = vault.open()
      expectError("corrupted", saying: vault.path) { try object.items(matching: .all) }
      expectError("corrupted", saying: vault.path) { try object.add("new", account: "new") }
      #expect(try vault.bytes == Array(whole[..<size]))
    }
  }
}
