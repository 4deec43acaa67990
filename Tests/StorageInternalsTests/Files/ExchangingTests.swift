import CLibrary
import Concurrency
import TestSupport
import Testing

@testable import StorageInternals

/// The replacement of a file that another program may be changing.
@Suite struct ExchangingTests {
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  private let old = [UInt8]("old".utf8)
  private let new = [UInt8]("new".utf8)
  private let theirs = [UInt8]("THE".utf8)
  private var path: String { directory("file") }

  /// A change to the file by another program, which preserves its size.
  enum Edit: CaseIterable {
    case rename, overwrite, removeAndMake, remove
  }

  private func make(_ edit: Edit) throws(SystemError) {
    let fileSystem = FileSystem()
    switch edit {
    case .rename: try fileSystem.replaceFile(at: path, with: theirs)
    case .overwrite: try fileSystem.open(path, O_WRONLY).write(theirs, at: 0)
    case .removeAndMake:
      try fileSystem.unlink(path)
      try fileSystem.open(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600).write(theirs, at: 0)
    case .remove: try fileSystem.unlink(path)
    }
  }

  /// Replaces the file; returns whether it was replaced.
  private func replace(
    _ expected: FileStatus?, _ fileSystem: FileSystem = FileSystem(),
    hasExpectedContent: Bool = true
  ) throws(SystemError) -> Bool {
    let replacement = try fileSystem.replaceFile(at: path, with: new, expecting: expected) {
      _ throws(SystemError) in hasExpectedContent
    }
    return replacement != nil
  }

  @Test func expectedFileIsReplaced() throws {
    try FileSystem().replaceFile(at: path, with: old, mode: 0o640)
    let status = try #require(try FileSystem().status(of: path))
    #expect(try replace(status))
    #expect(try content(of: path) == new)
    #expect(try FileSystem().status(of: path)?.permissions == 0o640)
    #expect(try FileSystem().entries(of: directory.path) == ["file"])
  }

  /// Makes the file long ago, so that each later edit has another date, and returns its status.
  private func makeOld() throws -> FileStatus {
    try FileSystem().replaceFile(at: path, with: old)
    let times = Array(repeating: timespec(tv_sec: 1_000_000_000, tv_nsec: 0), count: 2)
    // The call copies the path and the times.
    try #require(unsafe utimensat(AT_FDCWD, path, times, 0) == 0)
    return try #require(try FileSystem().status(of: path))
  }

  @Test func missingFileIsCreated() throws {
    #expect(try replace(nil))
    #expect(try content(of: path) == new)
    #expect(try FileSystem().status(of: path)?.permissions == 0o600)
    #expect(try !replace(nil))
    #expect(try FileSystem().entries(of: directory.path) == ["file"])
  }

  @Test(arguments: Edit.allCases, [false, true])
  func changedFileIsNotReplaced(_ edit: Edit, _ canExchange: Bool) throws {
    // The exchange is the first rename. Without it, changes after the last check are undetected.
    for moment in [FileSystem.Call.open, .write, .fsync, canExchange ? .renameat2 : .fsync] {
      let status = try makeOld()
      let fileSystem = FileSystem.recording { call, earlier in
        if earlier.contains(call) { return nil }
        if call == moment { try make(edit) }
        return call == .renameat2 && !canExchange ? EINVAL : nil
      }
      let comment = Comment("\(edit) before \(moment)")
      #expect(try !replace(status, fileSystem), comment)
      let names = try FileSystem().entries(of: directory.path)
      #expect(names == (edit == .remove ? [] : ["file"]), comment)
      if edit != .remove { #expect(try content(of: path) == theirs, comment) }
    }
  }

  @Test(arguments: Edit.allCases)
  func fileChangedWhileRestoringIsKept(_ edit: Edit) throws {
    try FileSystem().replaceFile(at: path, with: old)
    let status = try #require(try FileSystem().status(of: path))
    let fileSystem = FileSystem.recording { call, earlier in
      guard call == .renameat2 else { return nil }
      switch earlier.count(where: { $0 == call }) {
      case 0: try make(.rename)
      // The second rename restores the exchanged file, which another program has replaced.
      case 1:
        try FileSystem().replaceFile(at: path, with: new + new)
        if edit != .rename { try make(edit) }
      case 2 where edit != .remove:
        // The old file is in place until the newest one is exchanged with it.
        let isProvisional = try FileSystem().open(path, O_RDONLY).isProvisional
        #expect(isProvisional)
      default: break
      }
      return nil
    }
    #expect(try !replace(status, fileSystem))
    let expected = edit == .rename ? new + new : theirs
    #expect(try content(of: path).prefix(3) == expected.prefix(3))
    #expect(try FileSystem().entries(of: directory.path) == ["file"])
  }

  @Test func contentIsComparedWhenDatesAreEqual() throws {
    try FileSystem().replaceFile(at: path, with: old)
    let status = try #require(try FileSystem().status(of: path))
    #expect(try !replace(status, hasExpectedContent: false))
    #expect(try content(of: path) == old)
    #expect(try replace(status, hasExpectedContent: true))
  }

  @Test(arguments: [false, true])
  func faultLeavesOldOrNewContentAndNoLitter(_ exists: Bool) throws {
    for index in 0... {
      let code = [ENOSPC, EIO, EACCES][index % 3]
      if exists { try FileSystem().replaceFile(at: path, with: old) }
      let status = try FileSystem().status(of: path)
      let fault = FaultAtCall(index, code: code)
      var hasTemporaryFile = false
      var expected: [UInt8]? = new
      do throws(SystemError) {
        if let replacement = try fault.fileSystem.replaceFile(
          at: path, with: new, expecting: status,
          hasExpectedContent: { _ throws(SystemError) in true })
        {
          hasTemporaryFile = replacement.hasTemporaryFile
        }
      } catch {
        #expect(error.code == code)
        let isInPlace = error.call == .fsync && error.path == directory.path
        if !isInPlace { expected = exists ? old : nil }
      }
      var names = Set(try FileSystem().entries(of: directory.path))
      let found = names.remove("file") == nil ? nil : try content(of: path)
      #expect(found == expected, "\(fault.failed ?? "")")
      // Only a failed removal, which is reported, leaves a file.
      #expect(names.count == (hasTemporaryFile ? 1 : 0), "\(fault.failed ?? "")")
      if found != nil { names.insert("file") }
      for name in names { try FileSystem().unlink(directory(name)) }
      if !fault.happened {
        #expect(index > 8)
        return
      }
    }
  }

  @Test func openWriterIsDetected() throws {
    // Some file systems have no leases.
    let directory = try TemporaryDirectory(inMemory: true)
    let path = directory("file")
    try FileSystem().replaceFile(at: path, with: old)
    let file = try FileSystem().open(path, O_RDONLY)
    // A child of another test has the files open until it calls `exec`.
    try wait { !file.isOpenForWriting }
    do {
      let reader = try FileSystem().open(path, O_RDONLY)
      try wait { !file.isOpenForWriting }
      let writer = try FileSystem().open(path, O_WRONLY)
      let isOpenForWriting = file.isOpenForWriting
      #expect(isOpenForWriting)
      withExtendedLifetime(reader) { withExtendedLifetime(writer) {} }
    }
    try wait { !file.isOpenForWriting }
  }

  @Test func fileWrittenAfterTheExchangeIsRestored() throws {
    let status = try makeOld()
    // The call copies the path.
    let writer = unsafe open(path, O_WRONLY | O_CLOEXEC)
    let fileSystem = FileSystem.recording { call, earlier in
      // The first check of the exchanged file finds it open for writing, and not yet written to.
      if call == .stat, let exchange = earlier.firstIndex(of: .renameat2),
        earlier[exchange...].count(where: { $0 == .stat }) == 1
      {
        // The array has three bytes.
        #expect(unsafe write(writer, theirs, 3) == 3)
        close(writer)
      }
      return nil
    }
    #expect(try !replace(status, fileSystem))
    #expect(try content(of: path) == theirs)
  }

  @Test func openWriterDoesNotBlockReplacing() throws {
    try FileSystem().replaceFile(at: path, with: old)
    let status = try #require(try FileSystem().status(of: path))
    let writer = try FileSystem().open(path, O_WRONLY)
    #expect(try replace(status))
    #expect(try content(of: path) == new)
    withExtendedLifetime(writer) {}
  }
}
