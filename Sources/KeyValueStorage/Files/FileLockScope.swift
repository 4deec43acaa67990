import CLibrary
import StorageInternals

/// The scope in which a process holds a file's lock, and may write the file.
struct FileLockScope: ~Copyable {
  /// The path of the file, with symbolic links resolved.
  let target: String
  let lock: FileLock

  /// Returns the path of the lock file of a file.
  static func lockPath(for target: String) -> String {
    "\(target.parentDirectory)/.\(target.lastComponent).lock"
  }
}

extension FileBackend {
  /// Waits for the file's lock and takes it; creates missing directories.
  ///
  /// Throws ``KeyValueStoreError/busy(path:holder:)`` if the lock is not free within the timeout; a
  /// timeout of nil means to fail immediately.
  func lockFile(within timeout: Duration?) throws(KeyValueStoreError) -> FileLockScope {
    do throws(SystemError) {
      var target = try fileSystem.resolve(path)
      while true {
        let path = FileLockScope.lockPath(for: target)
        let lock = try fileSystem.makingDirectories(for: path) {
          () throws(SystemError) -> FileLock in
          if let timeout { return try FileLock(at: path, in: fileSystem, timeout: timeout) }
          if let lock = try FileLock.ifFree(at: path, in: fileSystem) { return lock }
          throw SystemError(call: .flock, path: path, code: ETIMEDOUT)
        }
        // A symbolic link in the path may have changed during the wait.
        let current = try fileSystem.resolve(self.path)
        if current.isSamePath(as: target) { return FileLockScope(target: target, lock: lock) }
        target = current
      }
    } catch {
      throw KeyValueStoreError(error)
    }
  }
}
