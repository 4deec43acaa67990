import StorageInternals
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

@Suite struct ReplacingTests {
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  let old = [UInt8]("old".utf8)
  let new = [UInt8](repeating: 7, count: 100_000)

  @Test func contentAndModeAreThoseGiven() throws {
    let path = directory("file")
    try FileSystem().replaceFile(at: path, with: old)
    #expect(try FileSystem().status(of: path)?.mode == S_IFREG | 0o600)
    try FileSystem().replaceFile(at: path, with: new, mode: 0o666)
    #expect(try FileSystem().status(of: path)?.mode == S_IFREG | 0o666)
    #expect(try content(of: path) == new)
    #expect(try FileSystem().entries(of: directory.path) == ["file"])
  }

  @Test func emptyContentIsWritten() throws {
    try FileSystem().replaceFile(at: directory("file"), with: EmptyCollection())
    #expect(try FileSystem().status(of: directory("file"))?.size == 0)
  }

  @Test(arguments: [ENOSPC, EIO, EACCES])
  func faultAtAnyCallLeavesOldContentAndNoLitter(code: Int32) throws {
    let path = directory("file")
    try FileSystem().replaceFile(at: path, with: old)
    var index = 0
    while true {
      let fault = FaultAtCall(index, code: code)
      do throws(SystemError) {
        try fault.fileSystem.replaceFile(at: path, with: new)
      } catch {
        #expect(error.code == code)
        // The directory's is the one call that comes after the new content is in place.
        let isInPlace = error.call == .fsync && error.path == directory.path
        #expect(try content(of: path) == (isInPlace ? new : old), "\(error)")
      }
      #expect(try FileSystem().entries(of: directory.path) == ["file"])
      if !fault.happened { break }
      try FileSystem().replaceFile(at: path, with: old)
      #expect(try content(of: path) == old)
      index += 1
    }
    #expect(try content(of: path) == new)
    // Directory, file, mode, content, fsync, rename, fsync.
    #expect(index == 7)
  }

  @Test func interruptedCallsAreMadeAgain() throws {
    for index in 0..<7 {
      let fault = FaultAtCall(index, code: EINTR)
      try fault.fileSystem.replaceFile(at: directory("file"), with: new)
      #expect(try content(of: directory("file")) == new)
      #expect(fault.calls == 8)
    }
  }

  @Test func directoryThatCannotBeSynchronizedIsNoFailure() throws {
    let path = directory.path
    let fileSystem = FileSystem { $0 == .fsync && $1 == path ? EINVAL : nil }
    try fileSystem.replaceFile(at: directory("file"), with: new)
    #expect(try content(of: directory("file")) == new)
  }

  @Test func leftoversOfThisFileAloneAreRemoved() throws {
    let path = directory("file")
    // A rename and an unlink that fail are what a killed process looks like.
    let dying = FileSystem { call, _ in call == .rename || call == .unlink ? EIO : nil }
    for name in ["file", "file", "other"] {
      #expect(throws: SystemError.self) {
        try dying.replaceFile(at: directory(name), with: old)
      }
    }
    let others = [
      "file", ".file.tmp", ".file.json.0123456789abcdef.tmp", ".file.0123456789abcdeg.tmp",
    ]
    for name in others { try FileSystem().replaceFile(at: directory(name), with: old) }
    let lock = try FileLock(at: directory("lock"))
    #expect(try FileSystem().entries(of: directory.path).count == 8)

    try FileSystem().removeLeftovers(of: path, holding: lock)

    let names = try FileSystem().entries(of: directory.path)
    #expect(names.count == 6)
    #expect(Set(names).isSuperset(of: others))
    #expect(names.contains { $0.hasPrefix(".other.") })
  }
}
