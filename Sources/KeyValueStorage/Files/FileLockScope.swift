import CLibrary
import StorageInternals

/// The exclusive right to write a file, until this is released.
struct FileLockScope: ~Copyable {
  /// The file's path, after symbolic links.
  let target: String
  let lock: FileLock

  /// Returns the path of a file's lock.
  static func lockPath(for target: String) -> String {
    "\(target.parentDirectory)/.\(target.lastComponent).lock"
  }
}

extension FileBackend {
  /// Waits for the file's lock and takes it; creates missing directories.
  ///
  /// `patience` limits the wait, nil means to fail at once if the lock is not free. After that it
  /// throws ``KeyValueStoreError/busy(path:holder:)``.
  func takeTurn(within patience: Duration?) throws(KeyValueStoreError) -> FileLockScope {
    do throws(SystemError) {
      var target = try fileSystem.resolve(path)
      while true {
        let path = FileLockScope.lockPath(for: target)
        let lock = try fileSystem.makingDirectories(for: path) {
          () throws(SystemError) -> FileLock in
          if let patience { return try FileLock(at: path, in: fileSystem, timeout: patience) }
          if let lock = try FileLock.ifFree(at: path, in: fileSystem) { return lock }
          throw SystemError(call: .flock, path: path, code: ETIMEDOUT)
        }
        // A symbolic link may have changed during the wait.
        let current = try fileSystem.resolve(self.path)
        if current.isSamePath(as: target) { return FileLockScope(target: target, lock: lock) }
        target = current
      }
    } catch {
      throw KeyValueStoreError(error)
    }
  }
}
