import CLibrary
import Concurrency
import TestSupport
import Testing

@testable import StorageInternals

@Suite struct FileLockTests {
  /// In memory, where `/proc/locks` has the same device number as the status of a file.
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory(inMemory: true) }

  private var path: String { directory("lock") }

  @Test func lockIsHeldUntilReleasedOrOutOfScope() throws {
    let lock = try FileLock(at: path)
    #expect(try isFree(path) == false)
    let isTaken = try FileLock.ifFree(at: path) == nil
    #expect(isTaken)
    lock.release()
    #expect(try isFree(path))
    do {
      let lock = try FileLock.ifFree(at: path)
      #expect(try isFree(path) == false)
      _ = lock
    }
    #expect(try isFree(path))
  }

  @Test(.changesOwners) func ownerChangesUnlessTheFileMayBeAnother() throws {
    let (path, data) = (path, directory("data"))
    try FileSystem().replaceFile(at: data, with: [])
    try FileSystem().giveAway(data)
    try FileLock(at: path).changeOwner(forDataAt: data)
    #expect(try FileSystem().status(of: path)?.owner == 1234)
    #expect(try FileSystem().status(of: path)?.group == getegid())
    // Without the data, it is the owner of the directory.
    try FileLock(at: path).changeOwner(forDataAt: directory("none"))
    #expect(try FileSystem().status(of: path)?.owner == 0)
    // An attack that tries to make root change the owner of another file.
    try FileSystem().link(path, to: directory("name"))
    try FileLock(at: path).changeOwner(forDataAt: data)
    #expect(try FileSystem().status(of: path)?.owner == 0)
    try FileSystem().unlink(directory("name"))
    try FileSystem().open(path, O_WRONLY).write([1], at: 0)
    try FileLock(at: path).changeOwner(forDataAt: data)
    #expect(try FileSystem().status(of: path)?.owner == 0)
  }

  /// A link was in the place of the user's directory when the lock was opened.
  @Test(.changesOwners) func lockInAnotherDirectoryIsNotGivenAway() throws {
    let (home, target) = (directory("home"), directory("of root"))
    for path in [home, target] { try FileSystem().makeDirectories(path) }
    try FileSystem().giveAway(home)
    try FileSystem().rename(home, to: "\(home).moved")
    unsafe try #require(symlink(target, home) == 0)
    let lock = try FileLock(at: "\(home)/lock")
    try FileSystem().unlink(home)
    try FileSystem().rename("\(home).moved", to: home)
    try lock.changeOwner(forDataAt: "\(home)/data")
    #expect(try FileSystem().status(of: "\(target)/lock")?.owner == 0)
  }

  @Test func fileIsAccessibleToItsOwnerOnly() throws {
    _ = try FileLock(at: path)
    let status = try #require(try FileSystem().status(of: path))
    #expect(status.isRegularFile && !status.isAccessibleToOthers)
  }

  @Test func symbolicLinkIsRefused() throws {
    unsafe #expect(symlink(directory("elsewhere"), path) == 0)
    #expect(throws: SystemError(call: .open, path: path, code: ELOOP)) {
      _ = try FileLock(at: path)
    }
    #expect(try FileSystem().status(of: directory("elsewhere")) == nil)
  }

  @Test func threadsExcludeEachOther() throws {
    let counter = directory("counter")
    try FileSystem().replaceFile(at: counter, with: [0])
    try onThreads(8) { _ in
      for _ in 0..<30 {
        let lock = try FileLock(at: path, timeout: .seconds(100_000))
        let bytes = try content(of: counter).map { $0 + 1 }
        try FileSystem().open(counter, O_WRONLY).write(bytes, at: 0)
        lock.release()
      }
    }
    #expect(try content(of: counter) == [240])
  }

  @Test func lockOfARemovedFileIsNotAcquired() throws {
    // Removes the file once between its opening and its locking.
    let fileSystem = FileSystem.recording { call, earlier in
      if call == .flock, !earlier.contains(call) { try FileSystem().unlink(path) }
      return nil
    }
    let lock = try FileLock(at: path, in: fileSystem)
    #expect(try isFree(path) == false)
    lock.release()
  }

  @Test(arguments: [FileSystem.Call.open, .flock, .stat])
  func failedCallLeavesTheLockFree(call: FileSystem.Call) throws {
    _ = try FileLock(at: path)
    let fileSystem = FileSystem { made, _ in made == call ? EIO : nil }
    #expect(throws: SystemError(call: call, path: path, code: EIO)) {
      _ = try FileLock(at: path, in: fileSystem)
    }
    #expect(try isFree(path))
  }

  /// A process that created them may have been killed, or have failed, before they were durable.
  @Test func newLockFileFollowsDurableDirectories() throws {
    let path = directory("a/b/lock")
    let parents = [directory("a"), directory.path]
    let failing = Lock<String?>(nil)
    let flushes = Lock([String]())
    let fileSystem = FileSystem { call, path in
      guard call == .fsync else { return nil }
      flushes.withLock { $0.append(path) }
      return failing.withLock { $0 } == path ? EIO : nil
    }
    for parent in parents + parents {
      failing.withLock { $0 = parent }
      let error = SystemError(call: .fsync, path: parent, code: EIO, isUncertain: true)
      #expect(throws: error) { _ = try FileLock(at: path, in: fileSystem) }
      #expect(try FileSystem().status(of: path) == nil)
    }
    failing.withLock { $0 = nil }
    flushes.withLock { $0 = [] }
    for _ in 0..<2 { _ = try FileLock(at: path, in: fileSystem) }
    // Once: a lock file shows that its directory is durable.
    for parent in parents { #expect(flushes.withLock { $0.count { $0 == parent } } == 1) }
    flushes.withLock { $0 = [] }
    _ = try FileLock(at: directory("c/d/lock"), in: fileSystem)
    for parent in [directory("c"), directory.path] {
      #expect(flushes.withLock { $0.count { $0 == parent } } == 1)
    }
  }

  /// Root may write to the parents of every mount point.
  @Test func parentsOnOtherFileSystemsAreNotFlushed() throws {
    let directory = try TemporaryDirectory(inMemory: true)
    let flushed = Lock(Set<String>())
    let fileSystem = FileSystem.before(.fsync) { path in flushed.withLock { _ = $0.insert(path) } }
    _ = try FileLock(at: directory("a/lock"), in: fileSystem)
    let paths = flushed.withLock { $0 }
    #expect(paths.contains(directory.path))
    let device = try FileSystem().status(of: directory.path)?.device
    for path in paths { #expect(try FileSystem().status(of: path)?.device == device, "\(path)") }
  }

  @Test(arguments: [EPERM, EACCES, EINVAL])
  func refusedFlushOfAParentIsNoFailure(_ code: Int32) throws {
    let outage = Outage(of: .fsync, on: directory.path.parentDirectory, code: code)
    _ = try FileLock(at: path, in: outage.fileSystem)
  }

  @Test func waitForAThreadEndsAtTheDeadline() throws {
    let lock = try FileLock(at: path)
    #expect(throws: SystemError(call: .flock, path: path, code: ETIMEDOUT)) {
      _ = try FileLock(at: path, timeout: .milliseconds(20))
    }
    lock.release()
    _ = try FileLock(at: path, timeout: .seconds(100_000))
  }

  @Test func turnIsLongEnoughForASecondWriteToBegin() {
    func length(_ hold: Duration) -> Duration {
      FileLockQueue.Turn(path: "lock", start: .now, hold: hold).length(atMost: .milliseconds(5))
    }
    #expect(length(.microseconds(500)) == .microseconds(750))
    #expect(length(.milliseconds(2)) == .milliseconds(3))
    #expect(length(.milliseconds(100)) == .milliseconds(5))
  }

  /// Whether another program can acquire the lock.
  private func isFree(_ path: String) throws -> Bool {
    // The test's directory exists, and the C library copies the path.
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    // A child of another test has a copy of the descriptor until it calls `exec`.
    defer {
      _ = flock(descriptor, LOCK_UN)
      close(descriptor)
    }
    try #require(descriptor != -1)
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }
}
