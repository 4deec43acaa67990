import CipherSupport
import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Compaction while other objects read and write the vault.
struct VaultCompactionBesideWritersTests {
  private let vault = TestVault(batchSize: 10)

  private func open(withUnnamedFiles hasUnnamedFiles: Bool) -> SecretVault {
    let refused = Lock(Set<String>())
    return vault.open(
      fileSystem: FileSystem { call, path in
        // The same path is then opened with its name.
        guard !hasUnnamedFiles, call == .open, path.hasSuffix(".tmp") else { return nil }
        return refused.withLock { $0.insert(path).inserted } ? EOPNOTSUPP : nil
      })
  }

  /// Compacts a vault, and calls a closure while its items are copied.
  private func compact(_ object: SecretVault, during work: () throws -> Void) throws {
    var isDone = false
    try object.compact { _ in
      guard !isDone else { return .proceed }
      isDone = true
      recordingErrors(work)
      return .proceed
    }
    #expect(isDone)
  }

  private func expect(_ texts: [String: String], in objects: SecretVault...) throws {
    for object in objects + [vault.open()] {
      #expect(try object.texts() == texts)
      let verification = try object.verify()
      #expect(verification.isSound && verification.itemCount == texts.count)
    }
  }

  @Test(arguments: [true, false])
  func writesDuringCompactionAreKept(_ hasUnnamedFiles: Bool) throws {
    let (object, other) = (open(withUnnamedFiles: hasUnnamedFiles), vault.open())
    try object.addMany(50)
    var texts = try other.texts()
    try compact(object) {
      for (number, writer) in [object, other, object, other].enumerated() {
        try writer.add("new \(number)", account: "new \(number)")
        try writer.change("\(number)", to: "changed \(number)")
        try writer.change("\(number)", to: "changed again \(number)")
        try writer.remove("\(number + 10)")
        texts["new \(number)"] = "new \(number)"
        texts["\(number)"] = "changed again \(number)"
        texts["\(number + 10)"] = nil
      }
      try other.remove("new 0")
      texts["new 0"] = nil
      try expect(texts, in: object, other)
    }
    try expect(texts, in: object, other)
    // Later writes of each object continue the new file.
    try other.change("20", to: "later")
    try object.add("last", account: "last")
    texts.merge(["20": "later", "last": "last"]) { $1 }
    try expect(texts, in: object, other)
  }

  /// A reader that only has the attributes key of items that are always readable must not see the
  /// state before a change of the accessibility.
  @Test(arguments: [Accessibility.always, .whenUnlocked])
  func changedAccessibilityDuringCompactionIsKept(_ old: Accessibility) throws {
    let object = vault.open()
    try object.add("first", account: "moved", old)
    try object.add("other", account: "other", .always)
    let new: Accessibility = old == .always ? .whenUnlocked : .always
    try compact(object) { try object.move("moved", to: new, changingTo: "second") }
    try expect(["moved": "second", "other": "other"], in: object)
    let locked = vault.open()
    locked.lock()
    let found = Result { () throws(SecretStoreError) in try locked.text("moved") }
    #expect(found == (new == .always ? .success("second") : .failure(.locked("unlock()"))))
  }

  @Test func compactedVaultIsNotReadAgain() throws {
    let cipher = MeasuredCipher()
    let (object, reader, writer) = (vault.open(), vault.open(cipher: cipher), vault.open())
    try object.addMany(200)
    try object.compact()
    var texts = try reader.texts()
    #expect(try writer.texts() == texts)
    _ = cipher.takeWork()
    for round in 0..<3 {
      try compact(object) {
        try writer.change("\(round)", to: "changed")
        // The reader has the whole old file.
        #expect(try reader.text("\(round)") == "changed")
      }
      try writer.change("7", to: "after \(round)")
      texts["\(round)"] = "changed"
      texts["7"] = "after \(round)"
      #expect(try reader.text("7") == "after \(round)")
    }
    let work = cipher.takeWork()
    #expect(work.opened < (try vault.bytes.count) / 2, "\(work)")
    try expect(texts, in: object, reader, writer)
  }

  @Test(arguments: [false, true])
  func replacementDuringCompactionIsKept(_ rotates: Bool) throws {
    let (object, other) = (vault.open(), vault.open())
    try object.addMany(20)
    let texts = SecretVault.many(20).merging(["1": "changed", "2": "changed"]) { $1 }
    try compact(object) {
      try other.change("1", to: "changed")
      if rotates { try other.rotateKeys() } else { try other.compact() }
      try other.change("2", to: "changed")
    }
    try expect(texts, in: object, other)
    #expect(try !vault.open().isRotationPending)
  }

  @Test func lockingDuringCompactionChangesNothing() throws {
    let (object, other) = (vault.open(), vault.open())
    try object.addMany(20)
    let bytes = try vault.bytes
    expectLocked { try compact(object) { object.lock() } }
    #expect(try vault.bytes == bytes)
    try expect(other.texts(), in: other)
  }

  @Test func compactionCopiesNoDamagedWrites() throws {
    let (object, other) = (vault.open(), vault.open())
    try object.addMany(20)
    #expect(throws: SecretStoreError.self) {
      try compact(object) {
        try other.change("1", to: "changed")
        try vault.damage(at: try vault.bytes.count - 30)
      }
    }
    #expect(try !vault.open().verify().isSound)
  }

  /// A file from before the compaction or from its end, which continues the state of a reader.
  @Test func olderFileAfterCompactionIsRefused() throws {
    let (object, reader, late) = (vault.open(), vault.open(), vault.open())
    try object.addMany(10)
    for reader in [reader, late] { #expect(try reader.texts().count == 10) }
    let early = try vault.bytes
    try object.compact()
    let compacted = try vault.bytes
    try object.change("1", to: "changed")
    #expect(try reader.text("1") == "changed")
    for older in [compacted, early] {
      try vault.replace(by: older)
      for object in [object, reader, late, vault.open()] {
        expectError("rolledBack") { _ = try object.text("1") }
      }
    }
  }

  @Test func forgedOffsetOfLastRecordIsHarmless() throws {
    let (object, reader) = (vault.open(), vault.open())
    try object.addMany(10)
    let texts = try reader.texts()
    try object.compact()
    let bytes = try vault.bytes
    let frames = TestVault.frames(of: bytes)
    let forged: [UInt32] = [1, 32, 33, UInt32(bytes.count), .max]
    for offset in forged + frames.map({ UInt32($0.startIndex) }) {
      let header = try FileHeader.encode(lastRecord: offset, TestCipher())
      try vault.replace(by: header + bytes.dropFirst(header.count))
      #expect(try reader.texts() == texts)
      #expect(try vault.open().texts() == texts)
    }
  }

  @Test(arguments: [true, false])
  func concurrentCompactionsLoseNoWrite(_ hasUnnamedFiles: Bool) throws {
    let object = open(withUnnamedFiles: hasUnnamedFiles)
    try object.addMany(40)
    let rounds = Campaign.size(sample: 3, full: 50)
    try onThreads(4) { [vault] thread in
      let own = thread < 2 ? object : vault.open()
      for round in 0..<rounds {
        if thread == 0 {
          try own.compact()
          continue
        }
        for number in 0..<5 {
          let account = "\(thread * 10 + number - 10)"
          try own.change(account, to: "\(round)")
          #expect(try own.text(account) == "\(round)")
        }
      }
    }
    var texts = SecretVault.many(40)
    for number in 0..<30 where number % 10 < 5 { texts["\(number)"] = "\(rounds - 1)" }
    try expect(texts, in: object)
  }
}
