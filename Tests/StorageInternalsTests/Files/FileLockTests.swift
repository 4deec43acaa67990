import CLibrary
import Concurrency
import Dispatch
import TestSupport
import Testing

@testable import StorageInternals

@Suite struct FileLockTests {
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  @Test func lockIsHeldUntilItIsReleased() throws {
    let path = directory("lock")
    let lock = try FileLock(at: path)
    #expect(try isFree(path) == false)
    let isTaken = try FileLock.ifFree(at: path) == nil
    #expect(isTaken)
    lock.release()
    #expect(try isFree(path))
  }

  @Test func lockIsHeldToTheEndOfItsScope() throws {
    let path = directory("lock")
    do {
      guard let lock = try FileLock.ifFree(at: path) else {
        Issue.record("The lock is not free.")
        return
      }
      #expect(try isFree(path) == false)
      _ = lock
    }
    #expect(try isFree(path))
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can give files away."))
  func ownerChangesUnlessTheFileMayBeAnother() throws {
    let path = directory("lock")
    try FileLock(at: path).changeOwner(to: 1234)
    #expect(try FileSystem().status(of: path)?.owner == 1234)
    #expect(try FileSystem().status(of: path)?.group == getegid())
    // An attack that tries to make root change the owner of another file.
    try FileSystem().link(path, to: directory("name"))
    try FileLock(at: path).changeOwner(to: 4321)
    #expect(try FileSystem().status(of: path)?.owner == 1234)
    try FileSystem().unlink(directory("name"))
    try FileSystem().open(path, O_WRONLY).write([1], at: 0)
    try FileLock(at: path).changeOwner(to: 4321)
    #expect(try FileSystem().status(of: path)?.owner == 1234)
  }

  @Test func fileIsAccessibleToItsOwnerOnly() throws {
    _ = try FileLock(at: directory("lock"))
    let status = try #require(try FileSystem().status(of: directory("lock")))
    #expect(status.isRegularFile)
    #expect(!status.isAccessibleToOthers)
  }

  @Test func symbolicLinkIsRefused() throws {
    unsafe #expect(symlink(directory("elsewhere"), directory("lock")) == 0)
    #expect(throws: SystemError(call: .open, path: directory("lock"), code: ELOOP)) {
      _ = try FileLock(at: directory("lock"))
    }
    #expect(try FileSystem().status(of: directory("elsewhere")) == nil)
  }

  @Test func threadsExcludeEachOther() throws {
    let path = directory("lock")
    let counter = directory("counter")
    try FileSystem().replaceFile(at: counter, with: [0, 0])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      do {
        for _ in 0..<50 {
          let lock = try FileLock(at: path)
          var bytes = try content(of: counter)
          bytes[0] &+= 1
          if bytes[0] == 0 { bytes[1] += 1 }
          try FileSystem().open(counter, O_WRONLY).write(bytes, at: 0)
          lock.release()
        }
      } catch {
        Issue.record(error)
      }
    }
    let bytes = try content(of: counter)
    #expect(Int(bytes[0]) + 256 * Int(bytes[1]) == 400)
  }

  @Test func lockOfARemovedFileIsNotAcquired() throws {
    // Removes the file once between its opening and its locking.
    let path = directory("lock")
    let removals = Lock(0)
    let fileSystem = FileSystem { call, _ in
      removals.withLock { count in
        if call == .flock, count == 0 {
          count += 1
          unsafe unlink(path)
        }
        return nil
      }
    }
    let lock = try FileLock(at: path, in: fileSystem)
    #expect(removals.withLock { $0 } == 1)
    #expect(try isFree(path) == false)
    lock.release()
  }

  @Test(arguments: [FileSystem.Call.open, .flock, .stat])
  func failedCallLeavesTheLockFree(call: FileSystem.Call) throws {
    let path = directory("lock")
    let fileSystem = FileSystem { made, _ in made == call ? EIO : nil }
    #expect(throws: SystemError(call: call, path: path, code: EIO)) {
      _ = try FileLock(at: path, in: fileSystem)
    }
    #expect(try isFree(path))
  }

  @Test func lockOfAKilledProcessIsFree() async throws {
    let path = directory("lock")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let lock = try FileLock(at: path)
      if try FileLock.ifFree(at: path) == nil { kill(getpid(), SIGKILL) }
      _ = lock
    }
    #expect(try isFree(path))
  }

  @Test func waitEndsAtTheDeadlineAndNamesTheHolder() throws {
    let path = directory("lock")
    let holder = try LockHolder(path, in: directory)
    let error = #expect(throws: SystemError.self) {
      _ = try FileLock(at: path, timeout: .milliseconds(20))
    }
    #expect(
      error
        == SystemError(call: .flock, path: path, code: ETIMEDOUT, holder: holder.process.identifier)
    )
    // From now on no call waits: the run of the tests would end before this timeout.
    #expect(throws: SystemError.self) { _ = try FileLock(at: path, timeout: .seconds(100_000)) }
    holder.process.stop()
    holder.process.end()
    _ = try FileLock(at: path, timeout: .seconds(100_000))
    // The lock has been free, so the next wait may last for its whole timeout.
    let lock = try FileLock(at: path, timeout: .seconds(100_000))
    lock.release()
  }

  @Test func waitForAThreadEndsAtTheDeadline() throws {
    let path = directory("lock")
    let lock = try FileLock(at: path)
    #expect(throws: SystemError(call: .flock, path: path, code: ETIMEDOUT)) {
      _ = try FileLock(at: path, timeout: .milliseconds(20))
    }
    lock.release()
    _ = try FileLock(at: path, timeout: .seconds(100_000))
  }

  @Test func stoppedProcessInTheQueueBlocksNoOther() throws {
    let path = directory("lock")
    let holder = try LockHolder(path, in: directory, queue: true)
    let lock = try FileLock(at: path, timeout: .seconds(100_000))
    lock.release()
    holder.process.stop()
  }

  @Test(.forks) func waitingProcessIsNotOvertaken() async {
    let path = directory("lock")
    await #expect(processExitsWith: .success) { [path = path as String] in
      recordingErrors {
        func acquire(_ name: String) throws {
          let lock = try FileLock(at: path, queueTimeout: .seconds(100_000))
          let log = try FileSystem().open(path + ".log", O_WRONLY | O_CREAT, mode: 0o600)
          try log.write(name.utf8, at: try log.status().size)
          lock.release()
        }
        for _ in 0..<10 {
          let lock = try FileLock(at: path)
          let child = try ForkedChild { try acquire("child ") }
          // The child is in the queue when it has the record lock on the first byte.
          let file = try FileSystem().open(path, O_RDWR)
          try wait(for: child) { file.queueHolder == child.identifier }
          lock.release()
          try acquire("parent ")
          try child.wait()
        }
        let log = try content(of: path + ".log")
        let expected = String(repeating: "child parent ", count: 10)
        #expect(String(decoding: log, as: UTF8.self) == expected)
      }
    }
  }

  @Test(.forks) func childForkedMeanwhileHoldsNoLock() async {
    let path = directory("lock")
    await #expect(processExitsWith: .success) { [path = path as String] in
      recordingErrors {
        let lock = try FileLock(at: path)
        let child = try ForkedChild { while true { pause() } }
        lock.release()
        _ = try FileLock(at: path, timeout: .seconds(100_000))
        child.kill()
        // The end of a child, which closes its descriptors, frees no lock of its parent.
        let other = try FileLock(at: path)
        let second = try ForkedChild { withExtendedLifetime(other) {} }
        try second.wait()
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

/// Another process that holds a lock, or that of the queue, while it runs.
private struct LockHolder {
  let process: ChildProcess

  init(_ path: String, in directory: TemporaryDirectory, queue: Bool = false) throws {
    let ready = directory("ready")
    let script = """
      import fcntl, os, sys, time
      lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
      if sys.argv[3] == "queue":
        fcntl.lockf(lock, fcntl.LOCK_EX, 1)
      else:
        fcntl.flock(lock, fcntl.LOCK_EX)
      open(sys.argv[2], "w").close()
      while True: time.sleep(1000)
      """
    process = try ChildProcess(
      "/bin/sh",
      ["-c", "exec python3 \"$@\"", "sh", "-c", script, path, ready, queue ? "queue" : "lock"])
    try wait(for: process) { try FileSystem().status(of: ready) != nil }
  }
}
