package import CLibrary
import Concurrency
import Synchronization

/// A lock that one thread of one process holds at a time, released at the end of its scope.
///
/// The kernel holds the lock for an open file (`flock`), so it ends with the process. Each
/// `FileLock` opens the file again, so that threads exclude each other as processes do. The lock
/// protects files only: neither the memory model nor the thread sanitizer knows of it.
///
/// The lock has its own file beside the data. Replacing the data by a rename gives its path another
/// inode, so that two processes could each lock a different one. The lock's file is empty and is
/// not removed.
package struct FileLock: ~Copyable, Sendable {
  private let file: File
  private let generation = Fork.generation
  /// Whether this lock went through the queue of this process.
  private let isQueued: Bool

  /// The default limit of a wait for a lock.
  package static let defaultTimeout = Duration.seconds(30)

  /// Waits for the lock, in FIFO order among the threads of this process.
  ///
  /// Processes are served in the order of their requests, as far as polling allows.
  ///
  /// - Parameters:
  ///   - path: The lock's own file, created for its owner alone if missing.
  ///   - fileSystem: Makes the system calls.
  ///   - timeout: The longest time to wait. After a timeout, later calls for the path fail at once
  ///     until the lock is free.
  /// - Throws: `ETIMEDOUT` of `flock`, with the process that holds the lock if the kernel reports
  ///   it; or the call that failed.
  package init(
    at path: String, in fileSystem: FileSystem = FileSystem(), timeout: Duration = defaultTimeout
  ) throws(SystemError) {
    let wait = FileLockWait(path: path, timeout: timeout)
    var file = try Self.open(path, fileSystem)
    try wait.enterQueue()
    do throws(SystemError) {
      while true {
        try wait.lock(file)
        if try file.isStill(at: path, in: fileSystem) {
          self.file = file
          isQueued = true
          return
        }
        // The file was removed or replaced meanwhile: later callers lock the new one.
        file = try Self.open(path, fileSystem)
      }
    } catch {
      FileLockQueue.leave(path)
      throw error
    }
  }

  /// Takes the lock if it is free; nil otherwise.
  package static func ifFree(
    at path: String, in fileSystem: FileSystem = FileSystem()
  ) throws(SystemError) -> FileLock? {
    let file = try open(path, fileSystem)
    guard try file.lockIfFree(), try file.isStill(at: path, in: fileSystem) else { return nil }
    return FileLock(file: file)
  }

  private init(file: consuming File) {
    self.file = file
    isQueued = false
  }

  deinit {
    // A child's descriptor shares the parent's lock, so unlocking in the child would free it. The
    // parent must unlock, because the lock would last as long as a child has the file open.
    guard generation == Fork.generation else { return }
    file.unlock()
    if isQueued { FileLockQueue.leave(file.path) }
  }

  /// Releases the lock before this goes out of scope.
  package consuming func release() {}

  /// Makes a user the owner of the lock's file, so that the data's owner can take the lock.
  package func give(to user: uid_t) throws(SystemError) {
    let status = try file.status()
    // A file with another name may be any file, hard-linked here to have its owner changed.
    guard status.owner != user, status.links == 1, status.size == 0 else { return }
    try file.changeOwner(to: user, group: .max)
  }

  private static func open(_ path: String, _ fileSystem: FileSystem) throws(SystemError) -> File {
    try fileSystem.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
  }
}

extension File {
  /// Whether a path still leads to this file.
  fileprivate func isStill(
    at path: String, in fileSystem: FileSystem
  ) throws(SystemError) -> Bool {
    guard let current = try fileSystem.status(of: path) else { return false }
    let own = try status()
    return own.inode == current.inode && own.device == current.device
  }
}

/// The lock timeout of a store's writers, which the app may change at any time.
package final class LockTimeout: Sendable {
  private let nanoseconds = Atomic(Int64(FileLock.defaultTimeout / .nanoseconds(1)))

  package init() {}

  package var duration: Duration {
    get { .nanoseconds(nanoseconds.load(ordering: .relaxed)) }
    set {
      // Clamped to 136 years, so that no calculation overflows.
      let limited = max(.zero, min(newValue, .seconds(1 << 32)))
      nanoseconds.store(Int64(limited / .nanoseconds(1)), ordering: .relaxed)
    }
  }
}
