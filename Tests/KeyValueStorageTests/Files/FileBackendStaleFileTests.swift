import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import Testing

@testable import KeyValueStorage

@Suite(.timeLimit(.minutes(30))) struct FileBackendStaleFileTests {
  let file: BackendFile
  init() throws { file = try BackendFile() }

  @Test func temporaryFileIsRemovedAtTheFirstUse() throws {
    try file.replace("a=1\n")
    try file.leaveTemporaryFile()
    let names = try file.names
    #expect(names.count == 2)
    #expect(try file.open().texts() == ["a": "1"])
    #expect(try file.names == [".settings.lock", "settings"])

    try file.leaveTemporaryFile()
    try file.open().set("a", "2")
    #expect(try file.names == [".settings.lock", "settings"])
  }

  @Test func temporaryFileOfAnActiveWriterRemainsAndIsNotAwaited() throws {
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

  @Test func temporaryFileThatCannotBeRemovedDoesNotFailReading() throws {
    try file.replace("a=1\n")
    try file.leaveTemporaryFile()
    let directory = file.directory
    for (call, path) in [
      (FileSystem.Call.opendir, directory), (.readdir, directory), (.flock, file(".settings.lock")),
      (.open, file(".settings.lock")), (.unlink, nil),
    ] {
      let fileSystem = FileSystem { made, at in
        made == call && (path == nil || at == path) ? EROFS : nil
      }
      #expect(try file.open(fileSystem: fileSystem).texts() == ["a": "1"])
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
