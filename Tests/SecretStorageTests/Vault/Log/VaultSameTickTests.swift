import CipherSupport
import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Writes that change neither the size nor the times of a vault's file.
struct VaultSameTickTests {
  private let vault = TestVault()

  private func status() throws -> FileStatus {
    try #require(try FileSystem().status(of: vault.path))
  }

  /// Performs work and restores the file's modification time, as if both were within one tick.
  private func withinATick(_ work: () throws -> Void) throws {
    let before = try status()
    try work()
    try setModified(before.modified)
    #expect(try status().isUnmodified(since: before))
  }

  private func setModified(_ modified: Int) throws {
    let (seconds, nanoseconds) = modified.quotientAndRemainder(dividingBy: 1_000_000_000)
    let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    let times = [time, time]
    // The call only reads the path and the times.
    try #require(unsafe utimensat(AT_FDCWD, vault.path, times, 0) == 0)
  }

  private func filled() throws -> SecretVault {
    let object = vault.open()
    for account in ["a", "b"] { try object.add("first", account: account) }
    return object
  }

  @Test func othersReadAWriteWithinATick() throws {
    let writer = try filled()
    let (reader, other) = (vault.open(), vault.open())
    for object in [reader, other] { #expect(try object.texts() == ["a": "first", "b": "first"]) }
    let revision = try reader.revision()
    try withinATick { try writer.change("a", to: "second") }
    #expect(try reader.text("a") == "second")
    #expect(try reader.revision() != revision)
    try withinATick { try writer.remove("b") }
    for object in [reader, other, vault.open()] { try object.expectSound(["a": "second"]) }
  }

  @Test func othersContinueAWriteWithinATick() throws {
    let writer = try filled()
    let other = vault.open()
    #expect(try other.texts().count == 2)
    try withinATick { try writer.change("a", to: "second") }
    try withinATick { try other.change("b", to: "second") }
    for object in [writer, other, vault.open()] {
      try object.expectSound(["a": "second", "b": "second"])
    }
  }

  /// A log of records with any content.
  private struct Log {
    let log: FileRecordLog

    init(of vault: TestVault) throws {
      log = FileRecordLog(path: try vault.path("secrets.vault"), cipher: TestCipher())
    }

    func append(_ byte: UInt8, after position: LogPosition) throws -> LogPosition {
      let payload = [UInt8](repeating: byte, count: 100)
      let digest = try TestCipher().digest(payload[...])
      return try log.withWriterLock { append throws(SecretStoreError) in
        try append([LogRecord(payload: payload[...], digest: digest[...])], position)
      }
    }
  }

  @Test func positionIsOutdatedByAnAppendWithinATick() throws {
    let (writer, reader) = (try Log(of: vault), try Log(of: vault))
    var end = try writer.append(1, after: .nowhere)
    end = try writer.append(2, after: end)
    let old = try reader.log.changes(since: nil).position
    #expect(old == end)
    #expect(try reader.log.isCurrent(old) && reader.log.changes(since: old).position == old)
    try withinATick { end = try writer.append(3, after: end) }
    #expect(try !reader.log.isCurrent(old))
    let changes = try reader.log.changes(since: old)
    #expect(!changes.isReset && changes.entries.count == 1 && changes.position.size == end.size)
    expectError(.conflict) { try reader.append(4, after: old) }
    #expect(try !reader.log.synchronize(to: old))
    #expect(try reader.log.synchronize(to: changes.position))
  }

  /// A failed append is truncated, and the next record may be as long.
  @Test func positionIsOutdatedByAnotherRecordInItsPlace() throws {
    let (writer, reader) = (try Log(of: vault), try Log(of: vault))
    var start = try writer.append(1, after: .nowhere)
    start = try writer.append(2, after: start)
    let bytes = try TestVault.bytes(of: vault.path)
    _ = try writer.append(3, after: start)
    let old = try reader.log.changes(since: nil).position
    try withinATick {
      let file = try FileSystem().open(vault.path, O_RDWR)
      try file.write(bytes, at: 0)
      _ = try Log(of: vault).append(4, after: Log(of: vault).log.changes(since: nil).position)
    }
    #expect(try !reader.log.isCurrent(old))
    let changes = try reader.log.changes(since: old)
    #expect(changes.isReset && changes.entries.count == 3)
    expectError(.conflict) { try reader.append(5, after: old) }
  }

  /// A writer may complete what a reader has found incomplete, without any change of the status.
  @Test func incompleteRecordIsReadAgain() throws {
    let (writer, reader) = (try Log(of: vault), try Log(of: vault))
    var start = try writer.append(1, after: .nowhere)
    start = try writer.append(2, after: start)
    _ = try writer.append(3, after: start)
    let whole = try TestVault.bytes(of: vault.path)
    let file = try FileSystem().open(vault.path, O_RDWR)
    try file.write([UInt8](repeating: 0, count: 80), at: start.size + 64)
    let old = try reader.log.changes(since: nil)
    #expect(old.tail?.isIncomplete == true && old.position.size == start.size)
    #expect(try reader.log.changes(since: old.position).position == old.position)
    try withinATick { try file.write(whole, at: 0) }
    #expect(try !reader.log.isCurrent(old.position))
    expectError(.conflict) { try reader.append(4, after: old.position) }
    let new = try reader.log.changes(since: old.position)
    #expect(new.isReset && new.entries.count == 3 && new.tail == nil)
  }

  /// Bytes before the end are no work of a writer, so the whole file is read.
  @Test func changeBeforeTheEndIsRead() throws {
    let writer = try filled()
    #expect(try writer.text("a") == "first")
    try vault.damage(at: vault.frames[2].startIndex + 100)
    try setModified(status().modified + 1_000_000)
    #expect(throws: SecretStoreError.self) { try writer.texts() }
    #expect(try !writer.verify().isSound)
  }

  /// Long records are copied in several pages, between which a reader may look.
  @Test func readersNeverFindAWriteInProgress() throws {
    let writer = vault.open()
    let values = (0..<4).map { String(repeating: "\($0)", count: 2000 + 1500 * $0) }
    for account in ["a", "b"] { try writer.add(values[0], account: account) }
    let isDone = Lock(false)
    let rounds = Campaign.size(sample: 100, full: 5000)
    try onThreads(3) { [vault] thread in
      if thread == 0 {
        defer { _ = isDone.exchange(true) }
        for round in 0..<rounds { try writer.change("a", to: values[round % 4]) }
        return
      }
      let knowing = vault.open()
      repeat {
        for reader in thread == 1 ? [knowing] : [vault.open()] {
          let text = try reader.text("a")
          #expect(text.map(values.contains) == true)
          let found = try reader.verify()
          #expect(found.isSound && found.interruptedWrite == nil)
        }
      } while !isDone.withLock { $0 }
    }
    try vault.open().expectSound(["a": values[(rounds - 1) % 4], "b": values[0]])
  }

  @Test func readerSeesEachAcknowledgedWrite() throws {
    let writer = try filled()
    let reader = vault.open()
    for round in 0..<Campaign.size(sample: 200, full: 20_000) {
      try writer.change("a", to: "\(round)")
      #expect(try reader.text("a") == "\(round)")
    }
  }
}
