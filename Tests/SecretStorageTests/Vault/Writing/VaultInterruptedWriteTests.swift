import Concurrency
import Dispatch
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// The remains of a power failure at the end of a vault, as opposed to damage.
struct VaultInterruptedWriteTests {
  /// Bytes that a power failure may leave behind the last record.
  enum Tail: CaseIterable {
    case zeros, headOfARecord, recordWithoutItsMiddle, recordWithoutItsBeginning

    func bytes(of record: ArraySlice<UInt8>) -> [UInt8] {
      var bytes = Array(record)
      switch self {
      case .zeros: return [UInt8](repeating: 0, count: record.count)
      case .headOfARecord: bytes.replaceSubrange(100..., with: [UInt8](repeating: 0, count: 5000))
      case .recordWithoutItsMiddle:
        bytes.replaceSubrange(1000..<3000, with: [UInt8](repeating: 0, count: 2000))
      case .recordWithoutItsBeginning:
        bytes.replaceSubrange(..<2000, with: [UInt8](repeating: 0, count: 2000))
      }
      return bytes
    }
  }

  /// Fills a vault, and removes and returns its last record.
  private static func fill(_ vault: TestVault) throws -> ArraySlice<UInt8> {
    let object = vault.open()
    try object.add("a", account: "a")
    try object.add("b", account: "b")
    let state = try vault.rememberedState()
    try object.add(String(repeating: "x", count: 4000), account: "c")
    let bytes = try vault.bytes
    let last = try #require(TestVault.frames(of: bytes).last)
    try vault.replace(by: bytes[..<last.startIndex])
    try vault.restoreState(state)
    return last
  }

  // Each in a separate process, because the failure handler is global.

  @Test func vaultOpensWithWhatIsWholeBeforeAnInterruptedWrite() async {
    await #expect(processExitsWith: .success) {
      SecretStores.onFailure = { _ in }
      for tail in Tail.allCases {
        for isRemembered in [true, false] {
          let vault = TestVault()
          let record = try Self.fill(vault)
          if !isRemembered { try vault.forget() }
          let size = try vault.bytes.count
          try TestVault.append(tail.bytes(of: record), to: vault.path)
          let object = vault.open()
          #expect(try object.texts() == ["a": "a", "b": "b"], "\(tail)")
          let found = try object.verify()
          #expect(found.isSound, "\(tail)")
          #expect(found.interruptedWrite?.contains("bytes \(size)..<") == true, "\(tail)")
          let note = object.diagnose().findings.first { $0.subject == "Interrupted write" }
          #expect(note?.text.contains("bytes \(size)..<") == true, "\(tail)")
          try object.add("d", account: "d")
          for reader in [object, vault.open()] {
            #expect(try reader.texts() == ["a": "a", "b": "b", "d": "d"], "\(tail)")
            let found = try reader.verify()
            #expect(found.isSound && found.interruptedWrite == nil, "\(tail)")
          }
        }
      }
    }
  }

  @Test func whatCameToTheDiskButIsNoRecordIsDamageWhereNothingIsRemembered() async {
    await #expect(processExitsWith: .success) {
      SecretStores.onFailure = { _ in }
      let vault = TestVault()
      let record = try Self.fill(vault)
      var bytes = Array(record)
      bytes[bytes.count - 1] ^= 1
      try TestVault.append(bytes, to: vault.path)
      let remembering = vault.open()
      #expect(try remembering.texts() == ["a": "a", "b": "b"])
      #expect(try remembering.verify().interruptedWrite != nil)
      try vault.forget()
      let object = vault.open()
      #expect(throws: SecretStoreError.self) { try object.texts() }
      #expect(try !object.verify().isSound)
      let error = try failure { try object.add("d", account: "d") }
      #expect(error.corrupted?.contains("repair()") == true)
      #expect(!(try object.repair().isEmpty))
      #expect(try object.texts() == ["a": "a", "b": "b"])
    }
  }

  /// Of a write's records, a later one may reach the disk without an earlier one.
  @Test func writeOfSeveralRecordsIsDroppedAsAWholeUnlessALaterOneFollows() async {
    await #expect(processExitsWith: .success) {
      SecretStores.onFailure = { _ in }
      let vault = TestVault()
      let object = vault.open()
      try object.add("a", account: "a")
      try object.add("b", account: "b")
      let state = try vault.rememberedState()
      let before = try vault.bytes.count
      // Two records: the item under another key, and its removal under the old one.
      let item = try #require(try object.item("b"))
      _ = try object.update(
        item.id, expecting: item.revision,
        attributes: ItemAttributes(accessControl: AccessControl(.always)), secret: nil)
      let after = try vault.bytes
      try object.add("c", account: "c")
      let later = try vault.bytes
      func damaged(_ bytes: [UInt8]) throws -> SecretVault {
        var bytes = bytes
        for place in (before + 60)..<(before + 200) { bytes[place] = ~bytes[place] }
        try vault.replace(by: bytes)
        try vault.restoreState(state)
        return vault.open()
      }
      let opened = try damaged(after)
      #expect(try opened.texts() == ["a": "a", "b": "b"])
      #expect(
        try opened.item("b")?.attributes.accessControl.accessibility == .whenUnlocked)
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
  }

  /// The reader continues behind the last record of the compaction.
  @Test func remainsOfAWriteBehindACompactionAreNoDamageToAnEarlierReader() async {
    await #expect(processExitsWith: .success) {
      SecretStores.onFailure = { _ in }
      let vault = TestVault()
      let object = vault.open()
      try object.add("a", account: "a")
      let reader = vault.open()
      #expect(try reader.texts() == ["a": "a"])
      try object.compact()
      let state = try vault.rememberedState()
      let before = try vault.bytes.count
      // Two records; see above.
      let item = try #require(try object.item("a"))
      _ = try object.update(
        item.id, expecting: item.revision,
        attributes: ItemAttributes(accessControl: AccessControl(.always)), secret: nil)
      var bytes = try vault.bytes
      for place in (before + 60)..<(before + 200) { bytes[place] = ~bytes[place] }
      try vault.replace(by: bytes)
      try vault.restoreState(state)
      #expect(try reader.texts() == ["a": "a"])
      let found = try reader.verify()
      #expect(found.isSound && found.interruptedWrite != nil)
    }
  }

  @Test func stateIsOnDiskOnceForEachLog() throws {
    let vault = TestVault()
    let calls = Lock([String]())
    let object = vault.open(
      fileSystem: FileSystem { call, path in
        if call == .fsync { calls.withLock { $0.append(path) } }
        return nil
      })
    func synchronized(_ work: () throws -> Void) rethrows -> Int {
      calls.withLock { $0 = [] }
      try work()
      return calls.withLock { $0.filter { $0.hasSuffix(".state") }.count }
    }
    #expect(try synchronized { try object.add("a", account: "a") } == 1)
    // The directory is synchronized too, because the file is new.
    #expect(calls.withLock { $0.last } == vault.statePath)
    #expect(try synchronized { for n in 0..<5 { try object.add("b", account: "b\(n)") } } == 0)
    #expect(try synchronized { try object.compact() } == 1)
    #expect(try synchronized { try object.add("c", account: "c") } == 0)
    #expect(try synchronized { try object.rotateKeys() } == 2)
    #expect(try synchronized { try object.add("d", account: "d") } == 0)
    // A machine that does not know the log records it before it appends.
    try vault.forget()
    let other = vault.open(
      fileSystem: FileSystem { call, path in
        if call == .fsync || call == .fdatasync { calls.withLock { $0.append(path) } }
        return nil
      })
    #expect(try synchronized { try other.add("e", account: "e") } == 1)
    let order = calls.withLock { $0.map { $0 == vault.path } }
    #expect(order.last == true, "\(calls.withLock { $0 })")
  }

  @Test func powerFailureIsToldOnceAndATornRecordIsNot() async {
    await #expect(processExitsWith: .success) {
      let told = Lock([SecretStorageFailure]())
      let heard = DispatchSemaphore(value: 0)
      ExpectedFailures.begin()
      SecretStores.onFailure = { failure in
        told.withLock { $0.append(failure) }
        heard.signal()
      }
      let vault = TestVault()
      try vault.open().add("a", account: "a")
      try TestVault.append(Frame.magic + [7, 0], to: vault.path)
      #expect(try vault.open().verify().interruptedWrite != nil)
      try vault.open().add("b", account: "b")
      try TestVault.append([UInt8](repeating: 0, count: 700), to: vault.path)
      let object = vault.open()
      for _ in 0..<3 { #expect(try object.texts().count == 2) }
      heard.wait()
      object.lock()
      try object.unlock()
      #expect(try object.texts().count == 2)
      let failures = told.withLock { $0 }
      #expect(failures.count == 1)
      #expect(failures.first?.description.contains("power failure") == true)
    }
  }
}
