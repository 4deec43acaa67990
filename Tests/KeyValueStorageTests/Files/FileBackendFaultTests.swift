import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A failure of each system call of each operation, one at a time.
struct FileBackendFaultTests {
  /// The initial state of the file's path.
  enum Beginning: CaseIterable {
    case noDirectory, file, link, fileOfAnother, temporaryFile, emptyFile
  }

  private static let codes = [ENOSPC, EIO, EACCES, EROFS, EDQUOT, EINTR]
  /// The codes do not depend on the beginnings.
  static let faults: [(Beginning, Int32)] =
    Campaign.isFull
    ? Beginning.allCases.flatMap { beginning in codes.map { (beginning, $0) } }
    : Array(zip(Beginning.allCases, codes))

  private func make(_ beginning: Beginning, _ file: BackendFile) throws {
    switch beginning {
    case .noDirectory: return
    case .file: try make("x=1\n", file)
    case .link:
      try FileSystem().makeDirectories(file("target"))
      try file.link(file("a"), to: "target")
      try file.replace("x=1\n", at: path(file))
    case .fileOfAnother:
      try make("x=1\n", file)
      if geteuid() == 0 { try #require(unsafe chown(path(file), 1234, 1234) == 0) }
    case .temporaryFile:
      try make("x=1\n", file)
      try file.replace("x=2\n", at: file("a/.settings.0123456789abcdef.tmp"))
    case .emptyFile: try make("", file)
    }
  }

  private func make(_ text: String, _ file: BackendFile) throws {
    try FileSystem().makeDirectories(file("a"))
    try file.replace(text, at: path(file))
  }

  private func path(_ file: BackendFile) -> String { file("a/settings") }

  private func before(_ beginning: Beginning) -> [String: String] {
    beginning == .noDirectory || beginning == .emptyFile ? [:] : ["x": "1"]
  }

  @Test(arguments: faults)
  func failedCallOfAWriteKeepsTheOldContent(_ beginning: Beginning, _ code: Int32) throws {
    let calls = try FaultAtCall.oneAfterAnother([code]) { fault in
      let file = try BackendFile()
      try make(beginning, file)
      let backend = file.open(path(file), fileSystem: fault.fileSystem)
      let result = Result { () throws(KeyValueStoreError) in try backend.set("a", "1") }
      fault.disarm()
      let comment = Comment("\(beginning) with error \(code) in \(fault.failed ?? "no call")")
      let before = before(beginning)
      let after = before.merging(["a": "1"]) { $1 }
      let real = try FileSystem().resolve(path(file))
      if case .failure(let error) = result {
        fault.expect(error, comment)
        // Only the very last call comes after the new content is in place.
        let isInPlace = try file.text(of: real)?.contains("a=1") == true
        let isLast = fault.failed == "fsync \(real.parentDirectory)" && isInPlace
        #expect(isInPlace == isLast, comment)
        let texts = isInPlace ? after : before
        if beginning != .emptyFile || isInPlace {
          #expect(try backend.texts() == texts, comment)
          #expect(try file.open(path(file)).texts() == texts, comment)
        }
        try backend.set("a", "1")
      }
      #expect(try backend.texts() == after, comment)
      #expect(try file.open(path(file)).texts() == after, comment)
      if beginning == .fileOfAnother, geteuid() == 0 {
        #expect(try FileSystem().status(of: real)?.owner == 1234, comment)
      }
      try backend.set("b", "2")
      let names = try FileSystem().entries(of: real.parentDirectory).sorted()
      #expect(names == [".settings.lock", "settings"], comment)
    }
    #expect(calls > 15)
  }

  @Test func failedCheckForChangesThrows() throws {
    let file = try BackendFile()
    try file.replace("a=1\n")
    let isArmed = Lock(false)
    let backend = file.open(fileSystem: FileSystem { _, _ in isArmed.withLock { $0 } ? EIO : nil })
    try backend.set("a", "2")
    let contents = try backend.load()
    isArmed.withLock { $0 = true }
    let error = KeyValueStoreError.system(call: "stat", path: file.path, code: EIO)
    #expect(throws: error) { try backend.hasChanged(since: contents.revision) }
    #expect(throws: error) { try backend.load() }
    isArmed.withLock { $0 = false }
    #expect(try !backend.hasChanged(since: contents.revision))
    #expect(try backend.load().revision == contents.revision)
  }
}
