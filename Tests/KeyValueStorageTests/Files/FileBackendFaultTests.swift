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
  static let faults =
    Campaign.isFull
    ? Beginning.allCases.flatMap { beginning in codes.map { (beginning, $0) } }
    : Beginning.allCases.map { ($0, ENOSPC) } + codes.dropFirst().map { (.file, $0) }

  private func make(_ beginning: Beginning, _ file: BackendFile) throws {
    switch beginning {
    case .noDirectory: return
    case .file: try make("x=1\n", file)
    case .link:
      try FileSystem().makeDirectories(file("target"))
      try #require(unsafe symlink("target", file("a")) == 0)
      try file.replace("x=1\n", at: path(file))
    case .fileOfAnother:
      try make("x=1\n", file)
      if geteuid() == 0 { try #require(unsafe chown(path(file), 1234, 1234) == 0) }
    case .temporaryFile:
      try make("x=1\n", file)
      try file.replace("x=2\n", at: "\(directory(file))/.settings.0123456789abcdef.tmp")
    case .emptyFile: try make("", file)
    }
  }

  private func make(_ text: String, _ file: BackendFile) throws {
    try FileSystem().makeDirectories(directory(file))
    try file.replace(text, at: path(file))
  }

  private func directory(_ file: BackendFile) -> String { file("a") }
  private func path(_ file: BackendFile) -> String { file("a/settings") }

  private func before(_ beginning: Beginning) -> [String: String] {
    beginning == .noDirectory || beginning == .emptyFile ? [:] : ["x": "1"]
  }

  /// Expects the error of the failed call.
  private func expect(
    _ error: KeyValueStoreError, is place: String, _ code: Int32, _ comment: Comment
  ) {
    #expect(error.isFailure(of: place, code), "\(comment.rawValue): \(error)")
    #expect(code != EINTR, comment)
  }

  /// The state after an operation in which the call with a given index failed.
  private struct Attempt {
    let file: BackendFile
    let backend: FileBackend
    let fault: FaultAtCall
    let failure: KeyValueStoreError?
    let comment: Comment
  }

  private func attempt(
    _ beginning: Beginning, failing index: Int, _ code: Int32,
    _ operation: (FileBackend) throws(KeyValueStoreError) -> Void
  ) throws -> Attempt {
    let file = try BackendFile()
    try make(beginning, file)
    let fault = FaultAtCall(index, code: code)
    let backend = file.open(path(file), fileSystem: fault.fileSystem)
    var failure: KeyValueStoreError?
    do {
      try operation(backend)
    } catch {
      failure = error
    }
    fault.disarm()
    let comment = Comment("\(beginning) with error \(code) in \(fault.failed ?? "no call")")
    if let failure { expect(failure, is: try #require(fault.failed), code, comment) }
    return Attempt(
      file: file, backend: backend, fault: fault, failure: failure, comment: comment)
  }

  @Test(arguments: faults)
  func failedCallOfAWriteLeavesTheOldContent(_ beginning: Beginning, _ code: Int32) throws {
    var index = 0
    while true {
      let attempt = try attempt(beginning, failing: index, code) {
        backend throws(KeyValueStoreError) in
        try backend.set("a", "1")
      }
      let (file, backend, comment) = (attempt.file, attempt.backend, attempt.comment)
      let before = before(beginning)
      let after = before.merging(["a": "1"]) { $1 }
      let real = try FileSystem().resolve(path(file))
      if attempt.failure != nil {
        // Only the very last call comes after the new content is in place.
        let isInPlace = try file.text(of: real)?.contains("a=1") == true
        let isLast = attempt.fault.failed == "fsync \(real.parentDirectory)" && isInPlace
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
      if !attempt.fault.happened { break }
      index += 1
    }
    #expect(index > 15)
  }

  @Test(arguments: faults)
  func failedCallOfAReadChangesNothing(_ beginning: Beginning, _ code: Int32) throws {
    if beginning == .emptyFile { return }
    var index = 0
    while true {
      let attempt = try attempt(beginning, failing: index, code) {
        backend throws(KeyValueStoreError) in
        let texts = try backend.texts()
        #expect(texts == before(beginning))
      }
      #expect(try attempt.backend.texts() == before(beginning), attempt.comment)
      if !attempt.fault.happened { break }
      index += 1
    }
    #expect(index >= 1)
  }

  @Test(arguments: [ENOSPC, EIO, EACCES, EROFS, EDQUOT])
  func failedCheckForChangesIsThrown(_ code: Int32) throws {
    let file = try BackendFile()
    try file.replace("a=1\n")
    let isArmed = Lock(false)
    let backend = file.open(fileSystem: FileSystem { _, _ in isArmed.withLock { $0 } ? code : nil })
    try backend.set("a", "2")
    let contents = try backend.load()
    isArmed.withLock { $0 = true }
    let error = KeyValueStoreError.system(call: "stat", path: file.path, code: code)
    #expect(throws: error) { try backend.hasChanged(since: contents.revision) }
    #expect(throws: error) { try backend.load() }
    isArmed.withLock { $0 = false }
    #expect(try !backend.hasChanged(since: contents.revision))
    #expect(try backend.load().revision == contents.revision)
  }
}
