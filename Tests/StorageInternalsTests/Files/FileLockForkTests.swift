import CLibrary
import Concurrency
import Dispatch
import TestSupport
import Testing

@testable import StorageInternals

/// Locks among processes, some of which are forked while a lock is held or acquired.
@Suite(.forks) struct FileLockForkTests {
  /// In memory, where `/proc/locks` has the same device number as the status of a file.
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory(inMemory: true) }

  private var path: String { directory("lock") }

  @Test func waitEndsAtTheDeadlineAndNamesTheHolder() async {
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

  @Test func stoppedProcessInTheQueueBlocksNoOther() async {
    await #expect(processExitsWith: .success) { [path = path as String] in
      recordingErrors {
        let holder = try holder(of: path, inQueue: true)
        defer { holder.kill() }
        _ = try FileLock(at: path, timeout: .seconds(100_000))
      }
    }
  }

  @Test func processesAcquireTheLockInTheirOrder() async {
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

  /// The open of a FIFO waits for a writer, as one on a network file system waits for its server.
  @Test func forkWaitsForNoFileThatIsBeingOpened() async {
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

  @Test func childForkedMeanwhileHoldsNoLock() async {
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
}

/// Returns a child that holds the lock of a file, or of its queue, until it or this process ends.
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
