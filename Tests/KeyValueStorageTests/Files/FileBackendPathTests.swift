import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import Testing

@testable import KeyValueStorage

@Suite(.timeLimit(.minutes(30))) struct FileBackendPathTests {
  let file: BackendFile
  init() throws { file = try BackendFile() }

  @Test func linkIsWrittenThroughAndStays() throws {
    try FileSystem().makeDirectories(file("real"))
    try #require(unsafe symlink("real/target", file.path) == 0)
    let backend = file.open()
    // The link is still dangling.
    try backend.set("a", "1")
    try backend.set("b", "2")
    #expect(try file.status?.isSymbolicLink == true)
    #expect(try file.text(of: file("real/target")) == "a=1\nb=2\n")
    // All paths to the file share its lock.
    #expect(try FileSystem().entries(of: file("real")).sorted() == [".target.lock", "target"])
    #expect(try file.names == ["real", "settings"])
  }

  @Test func linkThatMovesWhileTheLockIsAwaitedIsFollowed() throws {
    for name in ["one", "two"] {
      try FileSystem().makeDirectories(file(name))
      try file.replace("name=\(name)\n", at: file("\(name)/settings"))
    }
    try #require(unsafe symlink("one", file("link")) == 0)
    let file = file
    let fileSystem = FileSystem { call, path in
      if call == .flock, path.contains("/one/") {
        unsafe unlink(file("link"))
        unsafe symlink("two", file("link"))
      }
      return nil
    }
    let backend = file.open(file("link/settings"), fileSystem: fileSystem)
    try backend.set("a", "1")
    #expect(try file.text(of: file("one/settings")) == "name=one\n")
    #expect(try file.text(of: file("two/settings")) == "a=1\nname=two\n")
  }

  @Test func directoryThatALinkLeadsToNoLongerIsNotMadeAgain() throws {
    try #require(unsafe symlink("one", file("link")) == 0)
    let backend = file.open(file("link/settings"))
    try backend.set("a", "1")
    try FileManager.default.removeItem(atPath: file("one"))
    try FileSystem().unlink(file("link"))
    try #require(unsafe symlink("two", file("link")) == 0)
    try backend.set("a", "2")
    #expect(try file.names == ["link", "two"])
    #expect(try file.text(of: file("two/settings")) == "a=2\n")
  }

  @Test func directoryDeletedUnderTheStoreIsMadeAnew() throws {
    let path = file("a/settings")
    let backend = file.open(path)
    let contents = try backend.set("a", "1")
    try FileManager.default.removeItem(atPath: file("a"))
    #expect(try backend.hasChanged(since: contents.revision))
    #expect(try backend.texts() == [:])
    try backend.set("b", "2")
    #expect(try file.text(of: path) == "b=2\n")
  }

  @Test func directoryDeletedDuringAWriteIsAnErrorAndThenMadeAnew() throws {
    let path = file("a/settings")
    let file = file
    let isArmed = Lock(false)
    let fileSystem = FileSystem { call, path in
      guard call == .open, path.hasSuffix(".tmp"), isArmed.withLock({ $0 }) else { return nil }
      do { try FileManager.default.removeItem(atPath: file("a")) } catch { Issue.record(error) }
      return nil
    }
    let backend = file.open(path, fileSystem: fileSystem)
    try backend.set("a", "1")
    isArmed.withLock { $0 = true }
    let error = #expect(throws: KeyValueStoreError.self) { try backend.set("a", "2") }
    guard case .system("open", _, ENOENT) = error else {
      Issue.record("The error is \(String(describing: error))")
      return
    }
    isArmed.withLock { $0 = false }
    try backend.set("a", "3")
    #expect(try file.text(of: path) == "a=3\n")
  }
}
