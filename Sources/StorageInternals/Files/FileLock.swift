package import CLibrary
import Concurrency
import Synchronization

/// A lock that excludes other threads and processes, and is released when the value is destroyed.
///
/// The lock is a `flock` on an open file, so the kernel releases it when the process ends. Each
/// `FileLock` opens the file separately, so that it also excludes threads of the same process. It
/// does not synchronize memory.
///
/// The lock file is separate from the data, which a rename replaces; it is empty and never removed.
package struct FileLock: ~Copyable, Sendable {
  private let file: File
  /// Whether the lock was acquired through the queue of this process.
  private let isQueued: Bool
  /// The start of this process's turn, if it has begun with this lock.
  private let turnStart: SuspendingClock.Instant?

  /// The default time to wait for a lock.
  package static let defaultTimeout = Duration.seconds(30)

  /// Waits for the lock, in FIFO order among the threads of this process.
  ///
  /// Processes acquire the lock in the order of their requests, each for a turn in which it may
  /// acquire the lock once more, because changing to another process is slow while the machine is
  /// busy. `turn` is the maximum time of that. After the queue timeout, and on network file
  /// systems, the order among processes is ignored.
  ///
  /// A missing lock file is created with access for its owner only, once its directory and all of
  /// the parents exist durably. After a timeout, this throws `ETIMEDOUT` of `flock`, with the
  /// holder if it is known, and later calls for the path fail immediately until the lock is free.
  package init(
    at path: String, in fileSystem: FileSystem = FileSystem(), timeout: Duration = defaultTimeout,
    queueTimeout: Duration = .seconds(1), turn: Duration = .milliseconds(5)
  ) throws(SystemError) {
    var file = try Self.open(path, fileSystem)
    let wait = try FileLockWait(
      path: path, timeout: timeout, queueTimeout: queueTimeout, turn: turn)
    do throws(SystemError) {
      while true {
        let start = try wait.lock(file)
        if try file.staysLocked(at: path, in: fileSystem) {
          self.file = file
          isQueued = true
          turnStart = start
          return
        }
        // The file was removed or replaced during the wait, and later callers lock the new one.
        file = try Self.open(path, fileSystem)
      }
    } catch {
      FileLockQueue.leave(path)
      throw error
    }
  }

  /// Acquires the lock if it is free; returns nil otherwise.
  package static func ifFree(
    at path: String, in fileSystem: FileSystem = FileSystem()
  ) throws(SystemError) -> FileLock? {
    let file = try open(path, fileSystem)
    guard try file.lockIfFree(), try file.staysLocked(at: path, in: fileSystem) else { return nil }
    return FileLock(file: file)
  }

  private init(file: consuming File) {
    self.file = file
    isQueued = false
    turnStart = nil
  }

  deinit {
    // The lock is the parent's, for which a child has closed the file.
    if Fork.isChild { return }
    file.unlock()
    if isQueued { FileLockQueue.leave(file.path, since: turnStart) }
  }

  /// Releases the lock before the end of its scope.
  package consuming func release() {}

  /// Changes the owner of the lock file to that of the data beside it, or for missing data, of the
  /// directory, so that processes of that user can open it.
  ///
  /// `owner` is that of the data as just read, and usually that of the lock file.
  package func changeOwner(
    forDataAt path: String, ownedBy owner: uid_t? = nil, in fileSystem: FileSystem = FileSystem()
  ) throws(SystemError) {
    let status = try file.status()
    if status.owner == owner { return }
    let directory = try fileSystem.openDirectory(path.parentDirectory)
    let files = fileSystem.within(directory)
    let new =
      if let data = try files.status(of: path) { data.owner } else { try directory.status().owner }
    // The lock may be elsewhere, if a link was in place of the directory when it was opened. A file
    // with several links may be another file that was hard-linked here to change its owner.
    guard status.owner != new, status.links == 1, status.size == 0,
      try file.isStill(at: file.path, in: files)
    else { return }
    try file.changeOwner(to: new, group: .max)
  }

  private static func open(_ path: String, _ fileSystem: FileSystem) throws(SystemError) -> File {
    do {
      return try fileSystem.open(path, O_RDWR | O_NOFOLLOW)
    } catch {
      if error.code != ENOENT { throw error }
    }
    let directory = path.parentDirectory
    let highest = try fileSystem.makeDirectories(directory)
    // The process that created an existing directory may not have flushed its name. A lock file
    // shows to later processes that this was done.
    try fileSystem.synchronizeNames(to: highest?.parentDirectory ?? directory)
    return try fileSystem.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
  }
}

extension File {
  fileprivate func isStill(at path: String, in fileSystem: FileSystem) throws(SystemError) -> Bool {
    guard let current = try fileSystem.status(of: path) else { return false }
    let status = try status()
    return status.inode == current.inode && status.device == current.device
  }

  /// Returns whether a path still refers to this locked file, and unlocks the file otherwise.
  ///
  /// A child that is being forked would keep the lock of a file that is only closed.
  fileprivate func staysLocked(
    at path: String, in fileSystem: FileSystem
  ) throws(SystemError) -> Bool {
    var isKept = false
    defer { if !isKept { unlock() } }
    isKept = try isStill(at: path, in: fileSystem)
    return isKept
  }
}

/// The maximum time that a store waits for a lock, which any thread may change at any time.
package final class LockTimeout: Sendable {
  private let nanoseconds = Atomic(Int64(FileLock.defaultTimeout / .nanoseconds(1)))

  package init() {}

  package var duration: Duration {
    get { .nanoseconds(nanoseconds.load(ordering: .relaxed)) }
    set {
      // Clamped to 136 years to avoid overflows.
      let limited = max(.zero, min(newValue, .seconds(1 << 32)))
      nanoseconds.store(Int64(limited / .nanoseconds(1)), ordering: .relaxed)
    }
  }
}
