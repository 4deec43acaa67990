import CLibrary
import Concurrency
import Dispatch
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

  @Test(.forks) func waitEndsAtTheDeadlineAndNamesTheHolder() async {
    await #expect(processExitsWith: .success) { [path = path as String] in
      recordingErrors {
        let holder = try holder(of: path)
        let expected = SystemError(
          call: .flock, path: path, code: ETIMEDOUT, holder: holder.identifier)
        #expect(throws: expected) { _ = try FileLock(at: path, timeout: .milliseconds(20)) }
        // From now on no call waits: the run of the tests would end before this timeout.
        #expect(throws: SystemError.self) { _ = try FileLock(at: path, timeout: .seconds(100_000)) }
        holder.kill()
        _ = try FileLock(at: path, timeout: .seconds(100_000))
        // The lock has been free, so the next wait may last for its whole timeout.
        _ = try FileLock(at: path, timeout: .seconds(100_000))
      }
    }
  }

  @Test func waitForAThreadEndsAtTheDeadline() throws {
    let lock = try FileLock(at: path)
    #expect(throws: SystemError(call: .flock, path: path, code: ETIMEDOUT)) {
      _ = try FileLock(at: path, timeout: .milliseconds(20))
    }
    lock.release()
    _ = try FileLock(at: path, timeout: .seconds(100_000))
  }

  @Test(.forks) func stoppedProcessInTheQueueBlocksNoOther() async {
    await #expect(processExitsWith: .success) { [path = path as String] in
      recordingErrors {
        let holder = try holder(of: path, inQueue: true)
        defer { holder.kill() }
        _ = try FileLock(at: path, timeout: .seconds(100_000))
      }
    }
  }

  @Test(.forks) func processesAcquireTheLockInTheirOrder() async {
    await #expect(processExitsWith: .success) { [path = path as String] in
      recordingErrors {
        func acquire(_ name: String) throws {
          let long = Duration.seconds(100_000)
          let lock = try FileLock(at: path, timeout: long, queueTimeout: long, turn: .zero)
          let log = try FileSystem().open(path + ".log", O_WRONLY | O_CREAT, mode: 0o600)
          try log.write(Array(name.utf8), at: try log.status().size)
          lock.release()
        }
        // Forked before the first use of a lock, so that the children are processes like any other.
        let (start, end) = ((0..<3).map { _ in Pipe() }, Pipe())
        let children = try (0..<3).map { place in
          try ForkedChild {
            for _ in 0..<5 {
              start[place].receive()
              try acquire("\(place) ")
              end.send()
            }
          }
        }
        for _ in 0..<5 {
          let lock = try FileLock(at: path, turn: .zero)
          let file = try FileSystem().open(path, O_RDWR)
          for (place, child) in children.enumerated() {
            start[place].send()
            try wait(for: child) { file.waitingProcess(from: off_t(place)) == child.identifier }
          }
          lock.release()
          try acquire("parent ")
          for _ in children { end.receive() }
        }
        for child in children { try child.wait() }
        let text = String(decoding: try content(of: path + ".log"), as: UTF8.self)
        #expect(text == String(repeating: "0 1 2 parent ", count: 5))
      }
    }
  }

  @Test func turnIsLongEnoughForASecondWriteToBegin() {
    func length(_ hold: Duration) -> Duration {
      FileLockQueue.Turn(path: "lock", start: .now, hold: hold).length(atMost: .milliseconds(5))
    }
    #expect(length(.microseconds(500)) == .microseconds(750))
    #expect(length(.milliseconds(2)) == .milliseconds(3))
    #expect(length(.milliseconds(100)) == .milliseconds(5))
  }

  /// The open of a FIFO waits for a writer, as one on a network file system waits for its server.
  @Test(.forks) func forkWaitsForNoFileThatIsBeingOpened() async {
    let path = directory("fifo")
    await #expect(processExitsWith: .success) { [path = path as String] in
      recordingErrors {
        // The kernel copies the path.
        try #require(unsafe mkfifo(path, 0o600) == 0)
        let opening = DispatchSemaphore(value: 0)
        let fileSystem = FileSystem.before(.open) { _ in opening.signal() }
        let reader = DispatchQueue(label: "reader")
        reader.async { _ = try? fileSystem.open(path, O_RDONLY) }
        opening.wait()
        try ForkedChild {}.wait()
        let writer = unsafe open(path, O_WRONLY)
        reader.sync {}
        close(writer)
      }
    }
  }

  @Test(.forks) func childForkedMeanwhileHoldsNoLock() async {
    await #expect(processExitsWith: .success) { [path = path as String] in
      recordingErrors {
        let lock = try FileLock(at: path)
        let child = try ForkedChild { while true { pause() } }
        lock.release()
        _ = try FileLock(at: path, timeout: .seconds(100_000))
        child.kill()
        // Nor does a child that is forked when the lock was acquired in vain.
        let late = Lock(ForkedChild?.none)
        let failing = FileSystem.recording { call, _ in
          if call != .stat { return nil }
          let child = try ForkedChild { while true { pause() } }
          late.withLock { $0 = child }
          return EIO
        }
        #expect(throws: SystemError(call: .stat, path: path, code: EIO)) {
          _ = try FileLock(at: path, in: failing)
        }
        let isReleased = try FileLock.ifFree(at: path) != nil
        #expect(isReleased)
        late.withLock { $0 }?.kill()
        // Nor does a child of a process that is killed: when the parent's descriptor is closed, no
        // other one is left.
        let held = Pipe()
        let file = try FileSystem().open(path, O_RDWR)
        let isLocked = try file.lockIfFree()
        let idle = try ForkedChild {
          close(held.write)
          while true { pause() }
        }
        close(held.write)
        // Returns when the child has closed its end, and before that what it has inherited.
        held.receive()
        _ = consume file
        let isClosed = try FileLock.ifFree(at: path) != nil
        #expect(isLocked && isClosed)
        idle.kill()
        // The end of a child, which closes its descriptors, frees no lock of its parent.
        let other = try FileLock(at: path)
        try ForkedChild { withExtendedLifetime(other) {} }.wait()
        let isTaken = try FileLock.ifFree(at: path) == nil
        #expect(isTaken)
        _ = other
      }
    }
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

/// Returns a child that holds the lock of a file, or that of its queue, until it is killed or this
/// process has ended.
private func holder(of path: String, inQueue: Bool = false) throws -> ForkedChild {
  _ = try FileSystem().open(path, O_RDWR | O_CREAT, mode: 0o600)
  let (held, life) = (Pipe(), Pipe())
  let child = try ForkedChild {
    close(life.write)
    let file = try FileSystem().open(path, O_RDWR)
    if inQueue { _ = file.enterQueue() } else { _ = try file.lockIfFree() }
    close(held.write)
    // Returns when the other end is closed.
    life.receive()
    _ = consume file
  }
  close(held.write)
  close(life.read)
  // Returns when the child has closed its end.
  held.receive()
  try #require(!child.hasEnded)
  return child
}

private struct Pipe {
  let read: Int32
  let write: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    // The array has room for both.
    if unsafe pipe(&ends) != 0 { fatalError("No pipe could be created (error \(errno)).") }
    (read, write) = (ends[0], ends[1])
  }

  func send() { _ = unsafe CLibrary.write(write, [0], 1) }

  /// Waits for a byte, or for the end of the pipe.
  func receive() {
    var byte: UInt8 = 0
    _ = unsafe CLibrary.read(read, &byte, 1)
  }
}
