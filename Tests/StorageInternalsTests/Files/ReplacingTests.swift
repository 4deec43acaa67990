import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@Suite struct ReplacingTests {
  /// In memory, where every kernel supports unnamed files, which the numbers of calls depend on.
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory(inMemory: true) }

  private var path: String { directory("file") }

  let old = [UInt8]("old".utf8)
  let new = [UInt8](repeating: 7, count: 100_000)

  @Test func contentAndModeAreWritten() throws {
    try FileSystem().replaceFile(at: path, with: old)
    #expect(try FileSystem().status(of: path)?.mode == S_IFREG | 0o600)
    try FileSystem().replaceFile(at: path, with: new, mode: 0o666)
    #expect(try FileSystem().status(of: path)?.mode == S_IFREG | 0o666)
    #expect(try content(of: path) == new)
    #expect(try FileSystem().entries(of: directory.path) == ["file"])
    try FileSystem().replaceFile(at: path, with: EmptyCollection())
    #expect(try FileSystem().status(of: path)?.size == 0)
  }

  @Test func faultLeavesOldOrNewContentAndNoLitter() throws {
    let calls = try FaultAtCall.oneAfterAnother([ENOSPC, EIO, EACCES]) { fault in
      try FileSystem().replaceFile(at: path, with: old)
      do throws(SystemError) {
        try fault.fileSystem.replaceFile(at: path, with: new)
      } catch {
        #expect(error.code == fault.code)
        // Only the directory's fsync comes after the new content is in place.
        let isInPlace = error.call == .fsync && error.path == directory.path
        #expect(error.isUncertain == isInPlace)
        #expect(try content(of: path) == (isInPlace ? new : old), "\(error)")
      }
      #expect(try FileSystem().entries(of: directory.path) == ["file"])
    }
    // The calls: directory, file, mode, content, fsync, link, rename, fsync.
    #expect(calls == 8)
    #expect(try content(of: path) == new)
  }

  /// The missing ones of the calls that put a file in place without replacing another one.
  static let missing: [[FileSystem.Call]] = [[], [.renameat2], [.renameat2, .link]]

  @Test(arguments: missing, [ENOSYS, EINVAL, EPERM, EOPNOTSUPP])
  func fileIsCreatedWithoutOverwriting(_ missing: [FileSystem.Call], code: Int32) throws {
    let fileSystem = FileSystem { call, _ in missing.contains(call) ? code : nil }
    try fileSystem.replaceFile(at: path, with: new, overwriting: false)
    #expect(try content(of: path) == new)
    #expect(try FileSystem().status(of: path)?.mode == S_IFREG | 0o600)
    #expect(throws: SystemError.self) {
      try fileSystem.replaceFile(at: path, with: old, overwriting: false)
    }
    #expect(try content(of: path) == new)
    #expect(try FileSystem().entries(of: directory.path) == ["file"])
  }

  @Test(arguments: missing)
  func fileCreatedMeanwhileIsKept(_ missing: [FileSystem.Call]) throws {
    let fileSystem = FileSystem.recording { [old] call, _ in
      if [.rename, .renameat2].contains(call) {
        try FileSystem().open(path, O_WRONLY | O_CREAT, mode: 0o600).write(old, at: 0)
      }
      return missing.contains(call) ? EINVAL : nil
    }
    let error = #expect(throws: SystemError.self) {
      try fileSystem.replaceFile(at: path, with: new, overwriting: false)
    }
    #expect(error?.code == EEXIST)
    #expect(try content(of: path) == old)
    #expect(try FileSystem().entries(of: directory.path) == ["file"])
  }

  @Test func interruptedCallsAreRepeated() throws {
    for index in 0..<8 {
      let fault = FaultAtCall(index, code: EINTR)
      try fault.fileSystem.replaceFile(at: path, with: new)
      #expect(try content(of: path) == new)
      #expect(fault.calls == 9)
    }
  }

  /// The file system cannot flush directories at all.
  @Test(arguments: [EINVAL, ENOSYS, EOPNOTSUPP])
  func unsupportedDirectoryFlushIsNoFailure(_ code: Int32) throws {
    let parent = directory.path
    let fileSystem = FileSystem { $0 == .fsync && $1 == parent ? code : nil }
    try fileSystem.replaceFile(at: path, with: new)
    #expect(try content(of: path) == new)
    #expect(try !fileSystem.synchronizeDirectory(parent))
    #expect(try FileSystem().synchronizeDirectory(parent))
  }

  /// Replaces a file that other users may own.
  private func replace(_ old: FileStatus, in fileSystem: FileSystem = FileSystem()) throws {
    #expect(try fileSystem.replaces(path, with: new, expecting: old))
  }

  @Test(.changesOwners) func ownerGroupAndPermissionsAreKept() throws {
    try FileSystem().replaceFile(at: path, with: old)
    for mode in [0o640, 0o4755, 0o606] as [mode_t] {
      try FileSystem().giveAway(path, mode: mode)
      let status = try #require(try FileSystem().status(of: path))
      try replace(status)
      let other = try #require(try FileSystem().status(of: path))
      #expect(other.owner == 1234 && other.group == 5678 && other.permissions == mode)
      #expect(other.inode != status.inode)
    }
  }

  @Test(.changesOwners) func modeIsPrivateUntilTheOwnerIsSet() throws {
    try FileSystem().replaceFile(at: path, with: old)
    try FileSystem().giveAway(path, mode: 0o6777)
    let status = try #require(try FileSystem().status(of: path))
    let seen = Lock<[String: FileStatus]>([:])
    let fallback = FaultAtCall(1, code: EOPNOTSUPP)
    let fileSystem = FileSystem { call, path in
      // This closure runs before the call.
      if let status = try? FileSystem().status(of: path) {
        seen.withLock { $0[call.rawValue] = status }
      }
      return fallback.code(of: call, path)
    }
    try replace(status, in: fileSystem)
    #expect(fallback.happened)
    let statuses = seen.withLock { $0 }
    #expect(statuses["fchown"]?.permissions == 0o600)
    #expect(statuses["fchmod"]?.permissions == 0o600)
    #expect(statuses["fchmod"]?.owner == 1234)
    #expect(statuses["write"]?.permissions == 0o6777)
  }

  /// The errors of file systems without unnamed files: at creating one, and at linking it.
  @Test(arguments: [(1, EOPNOTSUPP), (1, EISDIR), (5, ENOENT), (5, EPERM)])
  func namedFileReplacesAnUnnamedOne(index: Int, code: Int32) throws {
    try FileSystem().replaceFile(at: path, with: old)
    let fallback = FaultAtCall(index, code: code)
    try fallback.fileSystem.replaceFile(at: path, with: new, mode: 0o640)
    #expect(fallback.failed?.hasPrefix(index == 1 ? "open " : "link ") == true)
    #expect(try content(of: path) == new)
    #expect(try FileSystem().status(of: path)?.permissions == 0o640)
    #expect(try FileSystem().entries(of: directory.path) == ["file"])
    // A later failure leaves no file either.
    for failing in [FileSystem.Call.write, .fsync, .stat, .rename] {
      let fallback = FaultAtCall(index, code: code)
      let fileSystem = FileSystem { call, path in
        call == failing && fallback.happened ? EIO : fallback.code(of: call, path)
      }
      #expect(throws: SystemError.self) { try fileSystem.replaceFile(at: path, with: old) }
      #expect(try content(of: path) == new)
      #expect(try FileSystem().entries(of: directory.path) == ["file"])
    }
  }

  @Test func ownerOfAnOwnFileIsNotChanged() throws {
    try FileSystem().replaceFile(at: path, with: old, mode: 0o644)
    let status = try #require(try FileSystem().status(of: path))
    let fileSystem = FileSystem { call, _ in call == .fchown ? EPERM : nil }
    try replace(status, in: fileSystem)
    #expect(try content(of: path) == new)
    #expect(try FileSystem().status(of: path)?.permissions == 0o644)
  }

  @Test func onlyLeftoversOfTheFileAreRemoved() throws {
    // A failed rename and unlink leave the same files as a killed process.
    let dying = FileSystem { call, _ in call == .rename || call == .unlink ? EIO : nil }
    for name in ["file", "file", "life"] {
      #expect(throws: SystemError.self) { try dying.replaceFile(at: directory(name), with: old) }
    }
    let others = [
      "file", ".file.tmp", ".file.json.0123456789abcdef.tmp", ".file.0123456789abcdeg.tmp",
    ]
    for name in others { try FileSystem().replaceFile(at: directory(name), with: old) }
    let lock = try FileLock(at: directory("lock"))
    #expect(try FileSystem().entries(of: directory.path).count == 8)
    #expect(try FileSystem().hasTemporaryFiles(of: path))
    try FileSystem().removeTemporaryFiles(of: path, holding: lock)
    let names = try FileSystem().entries(of: directory.path)
    #expect(names.count == 6)
    #expect(Set(names).isSuperset(of: others))
    #expect(names.contains { $0.hasPrefix(".life.") })
    #expect(try !FileSystem().hasTemporaryFiles(of: path))
    #expect(try FileSystem().hasTemporaryFiles(of: directory("life")))
  }

  @Test(arguments: 0..<8)
  func killedProcessLeavesOldOrNewContent(index: Int) async throws {
    try FileSystem().replaceFile(at: path, with: old)
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, index = index as Int, new = new as [UInt8]] in
      let fileSystem = FileSystem.recording { _, earlier in
        if earlier.count == index { kill(getpid(), SIGKILL) }
        return nil
      }
      try fileSystem.replaceFile(at: path, with: new)
    }
    #expect(try content(of: path) == (index == 7 ? new : old))
    // Killed between the two calls that link the temporary file and rename it.
    #expect(try FileSystem().entries(of: directory.path).count == (index == 6 ? 2 : 1))
    let lock = try FileLock(at: directory("lock"))
    try FileSystem().removeTemporaryFiles(of: path, holding: lock)
    #expect(try FileSystem().entries(of: directory.path).sorted() == ["file", "lock"])
  }
}
