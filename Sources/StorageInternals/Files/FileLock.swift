package import CLibrary
import Concurrency
import Synchronization

/// A lock that excludes other threads and processes, and is released when the value is destroyed.
///
/// The lock is a `flock` on an open file, so the kernel releases it when the process ends. Each
/// `FileLock` opens the file separately, so that it also excludes threads of the same process. It
/// does not synchronize memory: neither the memory model nor the thread sanitizer takes it into
/// account.
///
/// The lock file is separate from the data. If the data's own file were locked, replacing it with a
/// rename would allow two processes to lock different inodes. The lock file is empty and is never
/// removed.
package struct FileLock: ~Copyable, Sendable {
  private let file: File
  private let generation = Fork.generation
  /// Whether the lock was acquired through the queue of this process.
  private let isQueued: Bool

  /// The default time to wait for a lock.
  package static let defaultTimeout = Duration.seconds(30)

  /// Waits for the lock, in FIFO order among the threads of this process.
  ///
  /// Processes acquire the lock approximately in the order of their requests. A missing lock file
  /// is created with access for its owner only. After a timeout, this throws `ETIMEDOUT` of
  /// `flock`, with the holder if the kernel reports it. Later calls for the same path then fail
  /// immediately until the lock is free.
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
    guard try file.lockIfFree(), try file.isStill(at: path, in: fileSystem) else { return nil }
    return FileLock(file: file)
  }

  private init(file: consuming File) {
    self.file = file
    isQueued = false
  }

  deinit {
    // A forked child shares the parent's lock, which unlocking in the child would release. The
    // parent unlocks explicitly, because a child may still have the file open.
    guard generation == Fork.generation else { return }
    file.unlock()
    if isQueued { FileLockQueue.leave(file.path) }
  }

  /// Releases the lock before the end of its scope.
  package consuming func release() {}

  /// Changes the owner of the lock file, so that the owner of the data can acquire the lock.
  package func changeOwner(to user: uid_t) throws(SystemError) {
    let status = try file.status()
    // A file with several links may be another file that was hard-linked here to change its owner.
    guard status.owner != user, status.links == 1, status.size == 0 else { return }
    try file.changeOwner(to: user, group: .max)
  }

  private static func open(_ path: String, _ fileSystem: FileSystem) throws(SystemError) -> File {
    try fileSystem.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
  }
}

/// The maximum time that a store waits for a lock; any thread may change it at any time.
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

extension File {
  /// Acquires the lock (`flock`) unless another open file holds it; closing the file releases it.
  package func lockIfFree() throws(SystemError) -> Bool {
    do {
      try check(.flock) { flock($0, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      if error.code == EWOULDBLOCK { return false }
      throw error
    }
  }

  /// Releases the lock, even if forked children still have the file open.
  package func unlock() { withDescriptor { _ = flock($0, LOCK_UN) } }

  /// The process that holds the lock; nil if the kernel does not report it.
  var lockHolder: pid_t? {
    do throws(SystemError) {
      let status = try status()
      let device = UInt64(status.device)
      let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
      let minor = device & 0xFF | (device >> 12) & ~0xFF
      let name = "\(major.twoHexDigits):\(minor.twoHexDigits):\(status.inode)"
      let locks = try FileSystem().open("/proc/locks", O_RDONLY).read(from: 0, count: 65536)
      for line in locks.split(separator: UInt8(ascii: "\n")) {
        // 7: FLOCK  ADVISORY  WRITE 10215 fe:00:16238816 0 EOF
        let words = line.split(separator: UInt8(ascii: " ")).map {
          String(decoding: $0, as: UTF8.self)
        }
        guard words.count > 5, words[1] == "FLOCK", words[5] == name else { continue }
        return pid_t(words[4]).flatMap(Self.running)
      }
    } catch {
      // The holder is only a detail of an error message.
    }
    return nil
  }

  /// The process that holds the queue lock, a record lock on the first byte.
  ///
  /// Child processes do not inherit it. The kernel releases it when the process ends or closes the
  /// file.
  var queueHolder: pid_t? {
    let (code, record) = queueLock(F_GETLK, F_WRLCK)
    return code == 0 && record.l_type != F_UNLCK ? record.l_pid : nil
  }

  /// Acquires the queue lock; also returns true if the file system does not support record locks.
  func enterQueue() -> Bool {
    queueLock(F_SETLK, F_WRLCK).code == 0 || errno != EAGAIN && errno != EACCES
  }

  /// Releases the queue lock.
  func leaveQueue() { _ = queueLock(F_SETLK, F_UNLCK) }

  private func queueLock(
    _ command: Int32, _ type: some BinaryInteger
  ) -> (code: Int32, record: flock) {
    var record = flock(
      l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 1, l_pid: 0)
    let code = withDescriptor { unsafe fcntl($0, command, &record) }
    return (code, record)
  }

  /// Returns a process if it is running; otherwise, a child that inherited the file has the lock.
  private static func running(_ process: pid_t) -> pid_t? {
    process > 0 && (kill(process, 0) == 0 || errno == EPERM) ? process : nil
  }

  /// Returns whether a path still refers to this file.
  fileprivate func isStill(at path: String, in fileSystem: FileSystem) throws(SystemError) -> Bool {
    guard let current = try fileSystem.status(of: path) else { return false }
    let status = try status()
    return status.inode == current.inode && status.device == current.device
  }
}

extension UInt64 {
  fileprivate var twoHexDigits: String {
    let digits = String(self, radix: 16)
    return digits.count < 2 ? "0" + digits : digits
  }
}
