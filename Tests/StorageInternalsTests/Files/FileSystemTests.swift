import CLibrary
import StorageInternals
import TestSupport
import Testing

@Suite struct FileSystemTests {
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  @Test func directoriesAreAccessibleToTheirOwnerOnly() throws {
    try FileSystem().makeDirectories(directory("a/b/c"))
    for name in ["a", "a/b", "a/b/c"] {
      #expect(try FileSystem().status(of: directory(name))?.mode == S_IFDIR | 0o700)
    }
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

  @Test func pathWithAZeroByteIsRefused() throws {
    let path = directory("a\0b")
    #expect(throws: SystemError(call: .open, path: path, code: EINVAL)) {
      _ = try FileSystem().open(path, O_WRONLY | O_CREAT, mode: 0o600)
    }
    #expect(throws: SystemError(call: .rename, path: path, code: EINVAL)) {
      try FileSystem().rename(directory("x"), to: path)
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
