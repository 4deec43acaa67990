import FoundationEssentials
import StorageInternals
import Testing

@testable import KeyValueStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

@Suite(.timeLimit(.minutes(1))) struct FileBackendWritingTests {
  let file: BackendFile
  init() throws { file = try BackendFile() }

  @Test func newFileAndDirectoriesAreForTheirOwnerAlone() throws {
    let path = file("a/b/settings")
    let backend = file.open(path)
    #expect(try backend.set("k", "v").texts == ["k": "v"])
    #expect(try file.text(of: path) == "k=v\n")
    #expect(try FileSystem().status(of: path)?.permissions == 0o600)
    for directory in ["a", "a/b"] {
      #expect(try FileSystem().status(of: file(directory))?.permissions == 0o700)
    }
    #expect(try FileSystem().entries(of: file("a/b")).sorted() == [".settings.lock", "settings"])
  }

  @Test func otherKeysTheirSpellingAndTheHeaderStay() throws {
    try file.replace("# by hand\nz=1.0\nb=1e3\n")
    let backend = file.open()
    try backend.set("m", "new")
    #expect(try file.text() == "# by hand\nb=1e3\nm=new\nz=1.0\n")
    try backend.set("b", nil)
    #expect(try file.text() == "# by hand\nm=new\nz=1.0\n")
    #expect(try backend.texts() == ["m": "new", "z": "1.0"])
  }

  @Test func closureHasTheNewestContents() throws {
    let (first, second) = (file.open(), file.open())
    _ = try first.load()
    try second.set("a", "1")
    _ = try first.update { contents in
      #expect(contents.texts == ["a": "1"])
      return KeyValueChanges()
    }
    try file.overwrite("a=2\n")
    try first.set("b", "3")
    #expect(try second.texts() == ["a": "2", "b": "3"])
  }

  @Test func nothingIsWrittenWithoutAChange() throws {
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

  @Test func unreadableFileIsNotWritten() throws {
    for text in ["a=1\nb", "a=1\na=2\n"] {
      try file.replace(text)
      let backend = file.open()
      #expect(throws: KeyValueStoreError.self) {
        try backend.update { _ in
          Issue.record("The closure is called.")
          return KeyValueChanges()
        }
      }
      #expect(try file.text() == text)
    }
  }

  @Test func emptyFileIsWrittenUnlessItHadContent() throws {
    try file.overwrite("")
    let backend = file.open()
    #expect(throws: KeyValueStoreError.empty(path: file.path)) { try backend.load() }
    try backend.set("a", "1")
    #expect(try file.text() == "a=1\n")
    // An editor, between truncating and writing.
    try file.overwrite("")
    #expect(throws: KeyValueStoreError.empty(path: file.path)) { try backend.set("a", "2") }
    #expect(try file.text() == "")
    try file.overwrite("b=1\n")
    try backend.set("a", "2")
    #expect(try file.text() == "a=2\nb=1\n")
  }

  @Test func tooMuchContentIsRefused() throws {
    try file.replace("a=1\n")
    let backend = file.open()
    let half = String(repeating: "x", count: FormatLimits.fileSize / 2)
    #expect(throws: KeyValueStoreError.tooLarge(path: file.path, limit: FormatLimits.fileSize)) {
      try backend.update { _ in
        var changes = KeyValueChanges()
        for key in ["b", "c"] { changes.set(key, to: ArraySlice(half.utf8)) }
        return changes
      }
    }
    #expect(try file.text() == "a=1\n")
    #expect(try backend.texts() == ["a": "1"])
    try backend.set("a", "2")
    #expect(try file.text() == "a=2\n")
  }

  @Test func linkIsWrittenThroughAndStays() throws {
    try FileSystem().makeDirectories(file("real"))
    try #require(unsafe symlink("real/target", file.path) == 0)
    let backend = file.open()
    // It leads nowhere yet.
    try backend.set("a", "1")
    try backend.set("b", "2")
    #expect(try file.status?.isSymbolicLink == true)
    #expect(try file.text(of: file("real/target")) == "a=1\nb=2\n")
    // Those who come by another way have the same lock.
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

  @Test func permissionsAreKept() throws {
    for mode in [0o644, 0o400, 0o660] as [mode_t] {
      try file.replace("a=1\n")
      try #require(unsafe chmod(file.path, mode) == 0)
      try file.open().set("a", "2")
      #expect(try file.status?.permissions == mode)
      #expect(try file.text() == "a=2\n")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can give files away."))
  func ownerIsKeptAndCanGoOnWriting() throws {
    try file.replace("a=1\n")
    try #require(unsafe chown(file.path, 1234, 5678) == 0)
    try file.open().set("a", "2")
    let status = try #require(try file.status)
    #expect(status.owner == 1234 && status.group == 5678 && status.permissions == 0o600)
    #expect(try FileSystem().status(of: file(".settings.lock"))?.owner == 1234)
  }

  @Test(arguments: [EPERM, EINVAL])
  func ownerThatCannotBeKeptIsAnError(_ code: Int32) throws {
    guard geteuid() == 0 else { return }
    try file.replace("a=1\n")
    try #require(unsafe chown(file.path, 1234, 5678) == 0)
    let fileSystem = FileSystem { call, path in
      // That of the lock is tried as well.
      call == .fchown && path.hasSuffix(".tmp") ? code : nil
    }
    #expect(throws: KeyValueStoreError.ownedByAnother(path: file.path)) {
      try file.open(fileSystem: fileSystem).set("a", "2")
    }
    #expect(try file.text() == "a=1\n")
    #expect(try file.names == [".settings.lock", "settings"])
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can become another user."))
  func fileOfAnotherUserIsNotWritten() async throws {
    try file.replace("a=1\n")
    try #require(unsafe chmod(file.path, 0o666) == 0)
    try #require(unsafe chown(file.directory, 1234, 1234) == 0)
    let path = file.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      try #require(setgroups(0, nil) == 0)
      try #require(setgid(1234) == 0)
      try #require(setuid(1234) == 0)
      let backend = FileBackend(path: path, format: .json, storedFormat: LineFormat())
      #expect(try backend.texts() == ["a": "1"])
      #expect(throws: KeyValueStoreError.ownedByAnother(path: path)) { try backend.set("a", "2") }
      #expect(try backend.texts() == ["a": "1"])
    }
    #expect(try file.text() == "a=1\n")
    #expect(try file.names == [".settings.lock", "settings"])
    #expect(try file.status?.owner == 0)
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

  @Test func writeOfUncertainDurabilityIsMadeCertainBeforeItIsCalledDone() throws {
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
    let error = KeyValueStoreError.system(call: "fsync", path: directory, code: EIO)
    #expect(throws: error) { try backend.set("a", "2") }
    // It is in place.
    #expect(try backend.texts() == ["a": "2"])
    // Nothing is left to be changed, but it was not made durable either.
    #expect(throws: error) { try backend.update { _ in KeyValueChanges() } }
    let count = synchronized.withLock { $0 }
    for _ in 0..<3 { _ = try backend.update { _ in KeyValueChanges() } }
    #expect(synchronized.withLock { $0 } == count + 1)
  }

  @Test func writerThatCannotOpenItsOwnFileReadsItLater() throws {
    let isArmed = Lock(false)
    let path = file.path
    let fileSystem = FileSystem { call, opened in
      call == .open && opened == path && isArmed.withLock { $0 } ? EMFILE : nil
    }
    let backend = file.open(fileSystem: fileSystem)
    isArmed.withLock { $0 = true }
    let contents = try backend.set("a", "1")
    #expect(contents.texts == ["a": "1"])
    isArmed.withLock { $0 = false }
    #expect(try backend.hasChanged(since: contents.revision))
    #expect(try backend.texts() == ["a": "1"])
  }

  @Test func fileThatIsWrittenOverAtOnceIsReadAgain() throws {
    let file = file
    let fileSystem = FileSystem { call, path in
      if call == .open, path == file.path {
        do { try file.overwrite("a=other\n") } catch { Issue.record(error) }
      }
      return nil
    }
    let backend = file.open(fileSystem: fileSystem)
    #expect(try backend.set("a", "1").texts == ["a": "1"])
    #expect(try backend.texts() == ["a": "other"])
  }

  @Test func litterIsSweptAtTheFirstUse() throws {
    try file.replace("a=1\n")
    try file.leaveLitter()
    let names = try file.names
    #expect(names.count == 2)
    #expect(try file.open().texts() == ["a": "1"])
    #expect(try file.names == [".settings.lock", "settings"])

    try file.leaveLitter()
    try file.open().set("a", "2")
    #expect(try file.names == [".settings.lock", "settings"])
  }

  @Test func litterOfAWriterAtWorkStaysAndIsNotWaitedFor() throws {
    try file.replace("a=1\n")
    try file.leaveLitter()
    let lock = try FileLock(at: file(".settings.lock"))
    let backend = file.open()
    #expect(try backend.texts() == ["a": "1"])
    #expect(try file.names.count == 3)
    lock.release()
    try backend.set("a", "2")
    #expect(try file.names.count == 2)
  }

  @Test func litterThatCannotBeSweptIsNoFailureOfReading() throws {
    try file.replace("a=1\n")
    try file.leaveLitter()
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

  @Test func ownLitterIsSweptAtTheNextUpdate() throws {
    let isArmed = Lock(false)
    let fileSystem = FileSystem { call, _ in
      isArmed.withLock { $0 } && (call == .rename || call == .unlink) ? EROFS : nil
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
