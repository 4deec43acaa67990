import CLibrary
import StorageInternals
import TestSupport
import Testing

@Suite struct FileSystemTests {
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  @Test func slashAtTheEndOfADirectoryIsIgnored() throws {
    try FileSystem().makeDirectories("/")
    try FileSystem().makeDirectories(directory("a//b//"))
    try FileSystem().makeDirectories(directory("a//b/c"))
    #expect(try FileSystem().status(of: directory("a/b/c"))?.isDirectory == true)
  }

  @Test func existingDirectoriesKeepTheirModes() throws {
    try FileSystem().makeDirectories(directory("a"))
    unsafe #expect(chmod(directory("a"), 0o755) == 0)
    unsafe #expect(symlink("a", directory("link")) == 0)
    try FileSystem().makeDirectories(directory("link/b"))
    try FileSystem().makeDirectories(directory("link/b"))
    #expect(try FileSystem().status(of: directory("a"))?.mode == S_IFDIR | 0o755)
    #expect(try FileSystem().status(of: directory("a/b"))?.isDirectory == true)
  }

  /// NFS asks its server, and sandboxes look at the call only.
  @Test(arguments: [EACCES, EPERM, EROFS])
  func existingDirectoryMayBeRefused(_ code: Int32) throws {
    let fileSystem = FileSystem { call, _ in call == .mkdir ? code : nil }
    try fileSystem.makeDirectories(directory.path)
    _ = try FileLock(at: directory("lock"), in: fileSystem)
    let path = directory("a")
    #expect(throws: SystemError(call: .mkdir, path: path, code: code)) {
      try fileSystem.makeDirectories(path)
    }
  }

  @Test func highestCreatedDirectoryIsReturned() throws {
    let path = directory("a/b/c")
    #expect(try FileSystem().makeDirectories(path) == directory("a"))
    #expect(try FileSystem().makeDirectories(path) == nil)
    #expect(try FileSystem().makeDirectories("\(path)/d/") == "\(path)/d")
  }

  @Test func pathOfNoDirectoryIsAnError() throws {
    #expect(throws: SystemError(call: .mkdir, path: "", code: ENOENT)) {
      try FileSystem().makeDirectories("")
    }
    try FileSystem().replaceFile(at: directory("file"), with: [])
    #expect(throws: SystemError(call: .mkdir, path: directory("file"), code: ENOTDIR)) {
      try FileSystem().makeDirectories(directory("file"))
    }
    unsafe #expect(symlink("nowhere", directory("a")) == 0)
    #expect(throws: SystemError(call: .stat, path: directory("a"), code: ENOENT)) {
      try FileSystem().makeDirectories(directory("a/b"))
    }
  }

  /// U+FFFD is what a string has in place of bytes that are not UTF-8.
  @Test(arguments: [("a\0b", EINVAL), ("a\u{FFFD}b", EILSEQ)])
  func pathThatTheKernelWouldNotGetIsRefused(name: String, code: Int32) throws {
    let path = directory(name)
    let fileSystem = FileSystem()
    let calls: [(FileSystem.Call, () throws -> Void)] = [
      (.open, { _ = try fileSystem.open(path, O_WRONLY | O_CREAT, mode: 0o600) }),
      (.open, { try fileSystem.replaceFile(at: "\(path)/file", with: []) }),
      (.stat, { _ = try fileSystem.status(of: path) }),
      (.mkdir, { try fileSystem.makeDirectories(path) }),
      (.opendir, { _ = try fileSystem.entries(of: path) }),
      (.readlink, { _ = try fileSystem.linkTarget(of: path) }),
      (.readlink, { _ = try fileSystem.resolve(path) }),
      (.unlink, { try fileSystem.unlink(path) }),
      (.rename, { try fileSystem.rename(directory("x"), to: path) }),
      (.link, { try fileSystem.link(directory("x"), to: path) }),
    ]
    for (call, body) in calls {
      #expect(throws: SystemError(call: call, path: path, code: code), performing: body)
    }
    #expect(try FileSystem().entries(of: directory.path) == [])
  }

  @Test func missingFileIsNoErrorUnlessUnreachable() throws {
    #expect(try FileSystem().status(of: directory("missing")) == nil)
    try FileSystem().unlink(directory("missing"))
    try FileSystem().replaceFile(at: directory("a"), with: [])
    #expect(throws: SystemError(call: .stat, path: directory("a/b"), code: ENOTDIR)) {
      try FileSystem().status(of: directory("a/b"))
    }
  }

  @Test func linkTargetIsThePathInTheLink() throws {
    unsafe #expect(symlink("../somewhere", directory("link")) == 0)
    #expect(try FileSystem().linkTarget(of: directory("link")) == "../somewhere")
  }

  @Test(arguments: [
    ("/a/b", "/a", "b"), ("/a", "/", "a"), ("a", ".", "a"), ("a/b/", "a/b", ""),
    ("/a/\u{301}b", "/a", "\u{301}b"),
  ])
  func pathIsSplitAtItsLastSlash(path: String, parent: String, last: String) {
    #expect(Array(path.parentDirectory.utf8) == Array(parent.utf8))
    #expect(Array(path.lastComponent.utf8) == Array(last.utf8))
  }

  @Test func errorContainsCallPathAndReason() {
    let error = SystemError(call: .open, path: "/x", code: ENOSPC)
    #expect(error.description == "open of /x: No space left on device (errno 28)")
  }
}
