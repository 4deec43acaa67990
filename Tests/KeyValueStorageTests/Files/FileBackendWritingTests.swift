import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

final class FileBackendWritingTests: BackendTests {
  @Test func newFilesArePrivate() throws {
    let path = file("a/b/settings")
    #expect(try file.open(path).set("k", "v").texts == ["k": "v"])
    #expect(try file.text(of: path) == "k=v\n")
    #expect(try FileSystem().status(of: path)?.permissions == 0o600)
    for directory in ["a", "a/b"] {
      #expect(try FileSystem().status(of: file(directory))?.permissions == 0o700)
    }
    #expect(try FileSystem().entries(of: file("a/b")).sorted() == [".settings.lock", "settings"])
  }

  @Test func writeKeepsOtherLines() throws {
    try file.replace("# by hand\nz=1.0\nb=1e3\n")
    let backend = file.open()
    try backend.set("m", "new")
    #expect(try file.text() == "# by hand\nz=1.0\nb=1e3\nm=new\n")
    try backend.set("b", nil)
    #expect(try file.text() == "# by hand\nz=1.0\nm=new\n")
    #expect(try backend.texts() == ["m": "new", "z": "1.0"])
  }

  @Test func updateWithoutAChangeWritesNothing() throws {
    try file.replace("b=1\na=1\n")
    let status = try file.status
    let contents = try file.open().update { _ in KeyValueChanges() }
    #expect(contents.texts == ["a": "1", "b": "1"])
    #expect(try file.status == status)
  }

  @Test func ownWriteIsNotReadAgain() throws {
    let reads = CallCount(of: .read)
    let backend = file.open(fileSystem: reads.fileSystem)
    for number in 0..<10 {
      let contents = try backend.set("a", "\(number)")
      #expect(try !backend.hasChanged(since: contents.revision))
      #expect(try backend.load().revision == contents.revision)
      #expect(try backend.texts() == ["a": "\(number)"])
    }
    #expect(reads.value == 0)
  }

  @Test func onlyNewEmptyFileIsWritten() throws {
    try file.overwrite("")
    let backend = file.open()
    #expect(throws: KeyValueStoreError.empty(path: file.path)) { try backend.load() }
    try backend.set("a", "1")
    #expect(try file.text() == "a=1\n")
    // The state between truncating and writing in an editor.
    try file.overwrite("")
    #expect(throws: KeyValueStoreError.empty(path: file.path)) { try backend.set("a", "2") }
    #expect(try file.text() == "")
    try file.overwrite("b=1\n")
    try backend.set("a", "2")
    #expect(try file.text() == "b=1\na=2\n")
  }

  @Test func tooLargeContentIsRefused() throws {
    try file.replace("a=1\n")
    let backend = file.open()
    let half = [UInt8](repeating: 0x78, count: FormatLimits.fileSize / 2)[...]
    #expect(throws: KeyValueStoreError.tooLarge(path: file.path, limit: FormatLimits.fileSize)) {
      try backend.update { _ in
        var changes = KeyValueChanges()
        for key in ["b", "c"] { changes.set(key, to: half) }
        return changes
      }
    }
    #expect(try file.text() == "a=1\n")
    #expect(try backend.texts() == ["a": "1"])
    try backend.set("a", "2")
    #expect(try file.text() == "a=2\n")
  }

  @Test func failedDirectoryFlushIsRepeatedByTheNextUpdate() throws {
    let directory = file.directory
    let faults = Lock(0)
    let synchronized = Lock(0)
    let fileSystem = FileSystem { call, path in
      guard call == .fsync, path == directory else { return nil }
      synchronized.withLock { $0 += 1 }
      return faults.withLock { faults in
        faults -= 1
        return faults >= 0 ? EIO : nil
      }
    }
    let backend = file.open(fileSystem: fileSystem)
    try backend.set("a", "1")
    faults.withLock { $0 = 2 }
    let error = KeyValueStoreError.uncertain(path: directory, code: EIO)
    #expect("\(error)".contains("uncertain") && "\(error)".contains("fsync of \(directory)"))
    #expect(throws: error) { try backend.set("a", "2") }
    // The new content is in place.
    #expect(try backend.texts() == ["a": "2"])
    // Nothing remains to be written, but the earlier change is not yet durable.
    let changes = KeyValueChanges(byKey: [:], confirmsStoredValues: true)
    #expect(throws: error) { try backend.update { _ in changes } }
    let count = synchronized.withLock { $0 }
    // Until the clock has ticked, each call reads the file again, which may have been written.
    try wait {
      let count = synchronized.withLock { $0 }
      _ = try backend.update { _ in changes }
      return synchronized.withLock { $0 } == count
    }
    #expect(synchronized.withLock { $0 } > count)
  }

  @Test func writtenFileThatCannotBeOpenedIsReadLater() throws {
    let outage = Outage(of: .open, on: file.path, code: EMFILE)
    let backend = file.open(fileSystem: outage.fileSystem)
    let contents = try backend.set("a", "1")
    #expect(contents.texts == ["a": "1"])
    outage.end()
    #expect(try backend.hasChanged(since: contents.revision))
    #expect(try backend.texts() == ["a": "1"])
  }

  @Test func overwrittenFileIsReadAgain() throws {
    let fileSystem = FileSystem.before(.open, on: file.path) { [file] _ in
      try file.overwrite("a=other\n")
    }
    let backend = file.open(fileSystem: fileSystem)
    #expect(try backend.set("a", "1").texts == ["a": "1"])
    #expect(try backend.texts() == ["a": "other"])
  }

  /// A program that writes a file may remove it first.
  @Test func writeWaitsForARemovedFile() throws {
    try file.replace("a=1\n")
    let checks = CallCount(of: .stat)
    let backend = file.open(fileSystem: checks.fileSystem, gracePeriod: .seconds(100_000))
    _ = try backend.load()
    try FileSystem().unlink(file.path)
    #expect(try backend.texts() == [:])
    let before = checks.value
    let isOver = Lock(false)
    try onThreads(2) { [file] thread in
      if thread == 0 {
        defer { isOver.withLock { $0 = true } }
        try backend.set("b", "2")
      } else {
        // The write checks for the file until it exists.
        try wait { checks.value > before + 100 || isOver.withLock { $0 } }
        try file.replace("a=3\n")
      }
    }
    #expect(try file.text() == "a=3\nb=2\n")
  }

  @Test func permissionsAreKept() throws {
    for mode in [0o644, 0o640, 0o660] as [mode_t] {
      try file.replace("a=1\n")
      try #require(unsafe chmod(file.path, mode) == 0)
      try file.open().set("a", "2")
      #expect(try file.status?.permissions == mode)
      #expect(try file.text() == "a=2\n")
    }
  }

  @Test(arguments: [0o444, 0o400, 0o555, 0o464] as [mode_t])
  func readOnlyFileIsNotReplaced(_ mode: mode_t) throws {
    try file.replace("a=1\n")
    try #require(unsafe chmod(file.path, mode) == 0)
    let backend = file.open()
    let error = KeyValueStoreError.readOnly(path: file.path)
    #expect(throws: error) { try backend.set("a", "2") }
    #expect("\(error)".contains("is read-only") && "\(error)".contains("chmod u+w"))
    #expect(try backend.update { _ in KeyValueChanges() }.texts == ["a": "1"])
    #expect(try file.status?.permissions == mode)
    #expect(try file.text() == "a=1\n")
    try #require(unsafe chmod(file.path, mode | 0o200) == 0)
    try backend.set("a", "2")
    #expect(try file.text() == "a=2\n")
  }

  @Test func directoryThatCannotBeListedIsWritten() throws {
    try file.leaveTemporaryFile()
    let backend = file.open(fileSystem: .unlistable([file.directory]))
    for value in ["1", "2"] { try backend.set("a", value) }
    #expect(try backend.directoryRemark?.contains("may not list") == true)
    #expect(try file.open().texts() == ["a": "2"])
    try file.open().set("a", "3")
    #expect(try file.names == [".settings.lock", "settings"])
  }

  @Test(.changesOwners) func fileOfRootBelongsToTheOwnerOfTheHome() throws {
    try #require(unsafe chown(file.directory, 1234, 5678) == 0)
    let path = file("a/b/settings")
    for value in ["1", "2"] { try file.open(path).set("k", value) }
    for name in ["a", "a/b", "a/b/settings", "a/b/.settings.lock"] {
      #expect(try FileSystem().status(of: file(name))?.owner == 1234, "\(name)")
    }
  }

  /// Root looks for the owner of the data as well, but in what it has read.
  @Test func writeOpensItsDirectoryOnce() throws {
    let opens = CallCount(of: .open, on: file.directory)
    let backend = file.open(fileSystem: opens.fileSystem)
    try backend.set("a", "1")
    let before = opens.value
    try backend.set("a", "2")
    #expect(opens.value == before + 1)
  }

  @Test(.changesOwners) func ownerIsKept() throws {
    try file.replace("a=1\n")
    try FileSystem().giveAway(file.path)
    try file.open().set("a", "2")
    let status = try #require(try file.status)
    #expect(status.owner == 1234 && status.group == 5678 && status.permissions == 0o600)
    #expect(try FileSystem().status(of: file(".settings.lock"))?.owner == 1234)
  }

  @Test(.changesOwners, arguments: [EPERM, EINVAL])
  func ownerThatCannotBeKeptIsAnError(_ code: Int32) throws {
    try file.replace("a=1\n")
    try #require(unsafe chown(file.path, 1234, 5678) == 0)
    // The change of the lock's owner is attempted as well.
    let outage = Outage(of: .fchown, on: ".tmp", code: code)
    #expect(throws: KeyValueStoreError.ownedByAnother(path: file.path)) {
      try file.open(fileSystem: outage.fileSystem).set("a", "2")
    }
    #expect(try file.text() == "a=1\n")
    #expect(try file.names == [".settings.lock", "settings"])
  }

  @Test func temporaryFileIsRemovedAtTheFirstUse() throws {
    try file.replace("a=1\n")
    try file.leaveTemporaryFile()
    #expect(try file.names.count == 2)
    #expect(try file.open().texts() == ["a": "1"])
    #expect(try file.names == [".settings.lock", "settings"])
    try file.leaveTemporaryFile()
    try file.open().set("a", "2")
    #expect(try file.names == [".settings.lock", "settings"])
  }

  @Test func temporaryFileOfAnActiveWriterStays() throws {
    try file.replace("a=1\n")
    try file.leaveTemporaryFile()
    let lock = try FileLock(at: file(".settings.lock"))
    let backend = file.open()
    #expect(try backend.texts() == ["a": "1"])
    #expect(try file.names.count == 3)
    lock.release()
    try backend.set("a", "2")
    #expect(try file.names.count == 2)
  }

  @Test func failedRemovalOfATemporaryFileFailsNoRead() throws {
    try file.replace("a=1\n")
    try file.leaveTemporaryFile()
    let directory = file.directory
    for (call, path) in [
      (FileSystem.Call.opendir, directory), (.readdir, directory), (.flock, file(".settings.lock")),
      (.open, file(".settings.lock")), (.unlink, ""),
    ] {
      let outage = Outage(of: call, on: path, code: EROFS)
      #expect(try file.open(fileSystem: outage.fileSystem).texts() == ["a": "1"])
      #expect(try file.names.contains { $0.hasSuffix(".tmp") })
    }
  }

  @Test func ownTemporaryFileIsRemovedAtTheNextUpdate() throws {
    let isArmed = Lock(false)
    let fileSystem = FileSystem { call, _ in
      isArmed.withLock { $0 } && ([.rename, .renameat2].contains(call) || call == .unlink)
        ? EROFS : nil
    }
    let backend = file.open(fileSystem: fileSystem)
    try backend.set("a", "1")
    isArmed.withLock { $0 = true }
    #expect(throws: KeyValueStoreError.self) { try backend.set("a", "2") }
    #expect(try file.names.count == 3)
    isArmed.withLock { $0 = false }
    try backend.set("a", "3")
    #expect(try file.names.count == 2)
    #expect(try file.text() == "a=3\n")
  }
}
