package import CLibrary
import Concurrency
import Synchronization

/// A lock that excludes other threads and processes, and is released when the value is destroyed.
///
/// The lock is a `flock` on a separate file, which is empty and never removed. The kernel releases
/// the lock when the process ends. The lock does not synchronize memory.
package struct FileLock: ~Copyable, Sendable {
  private let file: File
  private let isQueued: Bool
  /// The start of this process's turn, if it has begun with this lock.
  private let turnStart: SuspendingClock.Instant?

  deinit {
    // The lock belongs to the parent. The child has already closed its descriptor.
    if Fork.isChild { return }
    file.unlock()
    if isQueued { FileLockQueue.leave(file.path, since: turnStart) }
  }

  package consuming func release() {}
}

extension FileLock {
  package static let defaultTimeout = Duration.seconds(30)

  /// Waits for the lock, in FIFO order among the threads of this process.
  ///
  /// Processes acquire the lock in the order of their requests. Each has a turn of at most `turn`,
  /// in which it may acquire the lock once more, because a change of processes is slow while the
  /// machine is busy. After the queue timeout, and on network file systems, this order is ignored.
  ///
  /// A missing lock file is created durably. After a timeout, this throws `ETIMEDOUT` of `flock`,
  /// and later calls for the path fail immediately until the lock is free.
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
          self.init(file: file, isQueued: true, turnStart: start)
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

  package static func ifFree(
    at path: String, in fileSystem: FileSystem = FileSystem()
  ) throws(SystemError) -> FileLock? {
    let file = try open(path, fileSystem)
    guard try file.lockIfFree(), try file.staysLocked(at: path, in: fileSystem) else { return nil }
    return FileLock(file: file, isQueued: false, turnStart: nil)
  }

  /// Changes the lock file's owner to that of the data at `path`; without data, of the directory.
  ///
  /// A lock file that belongs to `owner`, the known owner of the data, needs no change.
  package func changeOwner(
    forDataAt path: String, ownedBy owner: uid_t? = nil, in fileSystem: FileSystem = FileSystem()
  ) throws(SystemError) {
    let status = try file.status()
    if status.owner == owner { return }
    let directory = try fileSystem.openDirectory(path.parentDirectory)
    let files = fileSystem.within(directory)
    let new =
      if let data = try files.status(of: path) { data.owner } else { try directory.status().owner }
    // The lock may be elsewhere, if a link was in place of the directory. The lock may also be
    // another file, which a user has hard-linked here to change its owner.
    guard status.owner != new, status.links == 1, status.size == 0,
      try file.isStill(at: file.path, in: files)
    else { return }
    try file.changeOwner(to: new, group: .max)
  }

  private static func open(_ path: String, _ fileSystem: FileSystem) throws(SystemError) -> File {
    do {
      return try fileSystem.open(path, O_RDWR | O_NOFOLLOW)
    } catch let error where error.code == ENOENT {}
    let directory = path.parentDirectory
    let highest = try fileSystem.makeDirectories(directory)
    // The process that created an existing directory may not have flushed its name. A lock file
    // shows later processes that the name has been flushed.
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

  /// Returns whether a path still refers to this locked file; otherwise, unlocks the file.
  ///
  /// If the file were only closed, a child that is being forked would keep the lock.
  fileprivate func staysLocked(
    at path: String, in fileSystem: FileSystem
  ) throws(SystemError) -> Bool {
    var isKept = false
    defer { if !isKept { unlock() } }
    isKept = try isStill(at: path, in: fileSystem)
    return isKept
  }
}
