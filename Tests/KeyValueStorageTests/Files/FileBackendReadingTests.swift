import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

final class FileBackendReadingTests: BackendTests {
  @Test func missingFileHasNoKeys() throws {
    let backend = file.open()
    let contents = try backend.load()
    #expect(contents.keys == [])
    #expect(try !backend.hasChanged(since: contents.revision))
    #expect(try backend.load().revision == contents.revision)
    #expect(try file.names == [])
    #expect(try file.open(file("no/such/file")).load().keys == [])
  }

  @Test func entriesAreSortedWithTheirBytes() throws {
    try file.replace("# a comment\nb=2\na = 1.0 \n\u{e9}=x\ne\u{301}=y\n=\n")
    let contents = try file.open().load()
    #expect(
      contents.keys.map { Array($0.utf8) }
        == ["", "a ", "b", "e\u{301}", "\u{e9}"].map { Array($0.utf8) })
    #expect(contents["a "] == ArraySlice(" 1.0 ".utf8))
  }

  @Test func unchangedFileIsReadOnce() throws {
    try file.replace("a=1\n")
    let reads = CallCount(of: .open)
    let backend = file.open(fileSystem: reads.fileSystem)
    let contents = try backend.load()
    // Reads until the file is older than a tick of the clock.
    while try backend.load().revision != backend.load().revision {}
    let settled = try backend.load()
    let count = reads.value
    for _ in 0..<10 {
      #expect(try !backend.hasChanged(since: settled.revision))
      #expect(try backend.load().revision == settled.revision)
    }
    #expect(reads.value == count)
    #expect(contents.texts == settled.texts)
  }

  @Test func everyChangeIsDetected() throws {
    let backend = file.open()
    var revision = try backend.load().revision
    func expect(_ texts: [String: String], after change: () throws -> Void) throws {
      try change()
      #expect(try backend.hasChanged(since: revision))
      let contents = try backend.load()
      #expect(contents.texts == texts)
      #expect(contents.revision > revision)
      revision = contents.revision
    }
    try expect(["a": "1"]) { try file.replace("a=1\n") }
    try expect(["a": "2"]) { try file.replace("a=2\n") }
    try expect(["a": "3"]) { try file.overwrite("a=3\n") }
    try expect([:]) { try FileSystem().unlink(file.path) }
    try expect(["a": "4"]) { try file.overwrite("a=4\n") }
    try expect(["a": "4", "b": "5"]) { try file.open().set("b", "5") }
  }

  @Test(arguments: [false, true])
  func inodeNumberOfTheKnownFileIsNotReused(_ isWritten: Bool) throws {
    let backend = file.open()
    if isWritten { try backend.set("a", "1") } else { try file.overwrite("a=1\n") }
    _ = try backend.load()
    let known = try #require(try file.status).inode
    for _ in 0..<100 {
      // File systems often reuse the inode number of a removed file.
      try FileSystem().unlink(file.path)
      try file.overwrite("a=2\n")
      try #require(try file.status?.inode != known)
    }
    #expect(try backend.texts() == ["a": "2"])
  }

  @Test func changeOfALinkIsDetected() throws {
    try file.linkDirectories()
    let backend = file.open(file("link/settings"))
    let contents = try backend.load()
    #expect(contents.texts == ["name": "one"])
    try file.link(file("link"), to: "two")
    #expect(try backend.hasChanged(since: contents.revision))
    #expect(try backend.texts() == ["name": "two"])
  }

  @Test func unreadableFileIsAnErrorWithItsPosition() throws {
    try file.replace("a=1\n\u{e9}=\u{1F600}\nb")
    try file.link(file("link"), to: "settings")
    #expect(
      throws: KeyValueStoreError.unreadable(
        UnreadableFile(
          place: FilePlace(path: file.path, line: 3, column: 1),
          reason: "a line has no equals sign", offset: 12))
    ) { try file.open(file("link")).load() }
    let binary = FileBackend(path: file.path, format: .binary, coding: LineFormat())
    #expect(
      throws: KeyValueStoreError.unreadable(
        UnreadableFile(
          place: FilePlace(path: file.path), reason: "a line has no equals sign", offset: 12))
    ) { try binary.load() }
  }

  @Test func tooLargeFileIsRefusedUnread() throws {
    try FileSystem().open(file.path, O_WRONLY | O_CREAT, mode: 0o600).truncate(to: 1 << 30)
    let error = KeyValueStoreError.tooLarge(path: file.path, limit: FormatLimits.fileSize)
    let backend = file.open(fileSystem: Outage(of: .read).fileSystem)
    #expect(throws: error) { try backend.load() }
    #expect(throws: error) { try backend.set("a", "1") }
    #expect(try file.status?.size == 1 << 30)
  }

  enum Other: CaseIterable { case directory, pipe, device }

  @Test(arguments: Other.allCases)
  func nonRegularFileIsNeitherOpenedNorReplaced(_ other: Other) throws {
    switch other {
    case .directory: try #require(unsafe mkdir(file.path, 0o700) == 0)
    case .pipe: try #require(unsafe mkfifo(file.path, 0o600) == 0)
    // A link, which needs no root: to a device that never reaches its end.
    case .device: try file.link(file.path, to: "/dev/zero")
    }
    let path = file.path
    let backend = file.open(
      fileSystem: FileSystem { call, opened in
        if call == .open, opened == path || opened == "/dev/zero" {
          Issue.record("\(opened) is opened")
        }
        // The lock next to the device.
        return call == .open && opened == "/dev/.zero.lock" ? EACCES : nil
      })
    let target = other == .device ? "/dev/zero" : file.path
    #expect(throws: KeyValueStoreError.notAFile(path: target)) { try backend.load() }
    #expect(throws: KeyValueStoreError.self) { try backend.set("a", "1") }
    #expect(throws: KeyValueStoreError.self) { try backend.moveAside() }
    #expect(try file.status?.isRegularFile == false)
  }

  @Test func fileWrittenDuringAReadIsReadAgain() throws {
    try file.replace("a=1\nb=1\n")
    let hasWritten = Lock(false)
    let fileSystem = FileSystem.before(.read) { [file] _ in
      if !hasWritten.exchange(true) { try file.overwrite("a=2\nb=2\nc=2\n") }
    }
    #expect(try file.open(fileSystem: fileSystem).texts() == ["a": "2", "b": "2", "c": "2"])
  }

  @Test func fileRemovedBeforeItIsOpenedHasNoKeys() throws {
    try file.replace("a=1\n")
    let fileSystem = FileSystem.before(.open, on: file.path) { try FileSystem().unlink($0) }
    #expect(try file.open(fileSystem: fileSystem).texts() == [:])
  }

  @Test func fileThatChangesAtEachReadIsAnError() throws {
    try file.replace("a=1\n")
    let text = Lock("")
    let fileSystem = FileSystem.before(.read) { [file] _ in
      text.withLock { $0 += "x" }
      try file.overwrite(text.withLock { $0 })
    }
    let error = #expect(throws: KeyValueStoreError.self) {
      try file.open(fileSystem: fileSystem).load()
    }
    if case .unavailable = error { return }
    Issue.record("The error is \(String(describing: error))")
  }
}
