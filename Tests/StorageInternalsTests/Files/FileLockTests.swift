import CLibrary
import Concurrency
import Dispatch
import StorageInternals
import TestSupport
import Testing

@Suite struct FileLockTests {
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  @Test func secondHolderIsRefusedUntilTheFirstReleases() throws {
    let path = directory("lock")
    let lock = try FileLock(at: path)
    #expect(try isFree(path) == false)
    lock.release()
    #expect(try isFree(path))
  }

  @Test func lockIsHeldToTheEndOfItsScope() throws {
    let path = directory("lock")
    do {
      let lock = try FileLock(at: path)
      #expect(try isFree(path) == false)
      _ = lock
    }
    #expect(try isFree(path))
  }

  @Test func lockIsTakenAtOnceOrNotAtAll() throws {
    let path = directory("lock")
    do {
      guard let lock = try FileLock.ifFree(at: path) else {
        Issue.record("The lock is nobody's.")
        return
      }
      #expect(try isFree(path) == false)
      let isTaken = try FileLock.ifFree(at: path) == nil
      #expect(isTaken)
      _ = lock
    }
    #expect(try isFree(path))
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can give files away."))
  func fileIsGivenToAUserUnlessItMayBeAnotherFile() throws {
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

  @Test func fileIsForItsOwnerAlone() throws {
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

  @Test func lockOfRemovedFileIsNotTaken() throws {
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
  func failedCallIsThrownAndLeavesTheLockFree(call: FileSystem.Call) throws {
    let path = directory("lock")
    let fileSystem = FileSystem { made, _ in made == call ? EIO : nil }
    #expect(throws: SystemError(call: call, path: path, code: EIO)) {
      _ = try FileLock(at: path, in: fileSystem)
    }
    #expect(try isFree(path))
  }

  @Test func processHoldsTheLockUntilItIsKilled() async throws {
    let path = directory("lock")
    let marker = directory("marker")
    async let child: ExitTest.Result? = #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, marker = marker as String] in
      let lock = try FileLock(at: path)
      try FileSystem().replaceFile(at: marker, with: Array("\(getpid())".utf8))
      withExtendedLifetime(lock) { while true { pause() } }
    }
    while try FileSystem().status(of: marker) == nil { try await Task.sleep(for: .milliseconds(1)) }
    let identifier = pid_t(String(decoding: try content(of: marker), as: UTF8.self))
    #expect(try isFree(path) == false)
    kill(try #require(identifier), SIGKILL)
    _ = await child
    #expect(try isFree(path))
  }

  @Test func waitEndsAtTheDeadlineAndNamesTheHolder() async throws {
    let path = directory("lock")
    let holder = try LockHolder(path, in: directory)
    let error = #expect(throws: SystemError.self) {
      _ = try FileLock(at: path, timeout: .milliseconds(20))
    }
    #expect(
      error
        == SystemError(call: .flock, path: path, code: ETIMEDOUT, holder: holder.process.identifier)
    )
    // From now on no call waits; this timeout exceeds the test's time limit.
    #expect(throws: SystemError.self) { _ = try FileLock(at: path, timeout: .seconds(100_000)) }
    holder.process.stop()
    holder.process.end()
    _ = try FileLock(at: path, timeout: .seconds(100_000))
    // The lock has been free, so the next wait may last for its whole timeout.
    let lock = try FileLock(at: path, timeout: .seconds(100_000))
    lock.release()
  }

  @Test func waitForAThreadOfThisProcessEndsAtTheDeadline() throws {
    let path = directory("lock")
    let lock = try FileLock(at: path)
    #expect(throws: SystemError(call: .flock, path: path, code: ETIMEDOUT)) {
      _ = try FileLock(at: path, timeout: .milliseconds(20))
    }
    lock.release()
    _ = try FileLock(at: path, timeout: .milliseconds(20))
  }

  @Test func stoppedProcessInTheQueueKeepsNoOtherFromAFreeLock() throws {
    let path = directory("lock")
    let holder = try LockHolder(path, in: directory, queue: true)
    let lock = try FileLock(at: path, timeout: .seconds(900))
    lock.release()
    holder.process.stop()
  }

  @Test func processThatTakesTheLockAgainAtOnceOvertakesNoOtherForLong() async throws {
    let path = directory("lock") as String
    async let first = takesInARow(path, "a")
    async let second = takesInARow(path, "b")
    async let third = takesInARow(path, "c")
    _ = await (first, second, third)
    let takers = try content(of: path + ".log")
    #expect(takers.count == 300)
    // Only while all three wanted the lock: until one of them had taken it 80 times.
    var counts: [UInt8: Int] = [:]
    let contended = takers.drop(while: { $0 == takers[0] }).prefix { taker in
      counts[taker, default: 0] += 1
      return counts[taker]! < 80
    }
    // The mean, because a process that the kernel does not run for a while is overtaken more often.
    let turns = zip(contended, contended.dropFirst()).count { $0 != $1 } + 1
    #expect(contended.count < 4 * turns)
  }

  /// Acquires the lock a hundred times in another process, and logs the process's name each time.
  private func takesInARow(_ path: String, _ name: String) async -> ExitTest.Result? {
    await #expect(processExitsWith: .success) { [path = path as String, name = name as String] in
      try FileSystem().replaceFile(at: "\(path).\(name)", with: [])
      for other in ["a", "b", "c"] {
        try wait { try FileSystem().status(of: "\(path).\(other)") != nil }
      }
      for _ in 0..<100 {
        let lock = try FileLock(at: path)
        let log = try FileSystem().open(path + ".log", O_WRONLY | O_CREAT, mode: 0o600)
        try log.write(name.utf8, at: try log.status().size)
        usleep(300)
        lock.release()
      }
    }
  }

  @Test(.forks) func childThatWasForkedMeanwhileHoldsNoLock() async {
    let path = directory("lock") as String
    await #expect(processExitsWith: .success) {
      [path = path as String] in
      let lock = try FileLock(at: path)
      let child = try ForkedChild { while true { pause() } }
      lock.release()
      _ = try FileLock(at: path, timeout: .seconds(900))
      child.kill()
      // The end of a child, which closes its descriptors, frees no lock of its parent.
      let other = try FileLock(at: path)
      let second = try ForkedChild { withExtendedLifetime(other) {} }
      try second.wait()
      guard try FileLock.ifFree(at: path) == nil else {
        throw SystemError(call: .flock, path: path, code: 0)
      }
      _ = other
    }
  }

  /// Whether another program can acquire the lock.
  private func isFree(_ path: String) throws -> Bool {
    // The test's directory exists, and the C library copies the path.
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
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
    while try FileSystem().status(of: ready) == nil { usleep(1000) }
  }
}
