import Concurrency

#if canImport(Glibc)
  package import Glibc
#else
  package import Musl
#endif

/// A lock that one thread of one process holds at a time, released at the end of its scope.
///
/// The lock is the kernel's on an open file (`flock`), so it ends with the process that holds it.
/// Each `FileLock` opens the file by itself, so threads of one process exclude each other as
/// processes do. It protects files: the thread sanitizer, and the memory model, know nothing of it.
///
/// The file is one beside the data, never the data itself: replacing a file by renaming gives its
/// path another inode, and two processes would each hold the lock of a different one. The file is
/// empty and stays there.
package struct FileLock: ~Copyable, Sendable {
  private let file: File
  private let generation = Fork.generation
  /// Whether this is the one that the queue of this process let through.
  private let isQueued: Bool

  /// How long waiting for a lock takes at most, unless the app says otherwise.
  package static let defaultTimeout = Duration.seconds(30)

  /// Waits for the lock, first come first served among the threads of this process.
  ///
  /// Processes are served in the order in which they ask, as far as polling can tell.
  ///
  /// - Parameters:
  ///   - path: The lock's own file, which is made, for its owner alone, if there is none.
  ///   - fileSystem: Makes the system calls.
  ///   - timeout: The longest time to wait. Once it was over for a path, later calls for that path
  ///     fail at once until the lock is free.
  /// - Throws: `ETIMEDOUT` of `flock`, with the process that holds the lock where the kernel tells;
  ///   or the call that failed.
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
        // The file was removed or replaced meanwhile: others lock the new one.
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
    // A child's descriptor shares the parent's lock: unlocking here would free it for others. And
    // the parent must unlock, since the lock would last as long as a child has the file open.
    guard generation == Fork.generation else { return }
    file.unlock()
    if isQueued { FileLockQueue.leave(file.path) }
  }

  /// Releases the lock before this goes out of scope.
  package consuming func release() {}

  /// Gives the lock's file to a user, so that the owner of the data can take the lock.
  package func give(to user: uid_t) throws(SystemError) {
    let status = try file.status()
    // A file with another name may be any file, linked here to be given away.
    guard status.owner != user, status.links == 1, status.size == 0 else { return }
    try file.changeOwner(to: user, group: .max)
  }

  private static func open(_ path: String, _ fileSystem: FileSystem) throws(SystemError) -> File {
    try fileSystem.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
  }
}

extension File {
  /// Whether a path still leads to this very file.
  fileprivate func isStill(
    at path: String, in fileSystem: FileSystem
  ) throws(SystemError) -> Bool {
    guard let current = try fileSystem.status(of: path) else { return false }
    let own = try status()
    return own.inode == current.inode && own.device == current.device
  }
}
