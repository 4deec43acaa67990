import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The right to write a file, over when this is released.
struct FileTurn: ~Copyable {
  /// The file, after symbolic links.
  let target: String
  let lock: FileLock

  /// The path of the lock for a file.
  static func lockPath(for target: String) -> String {
    "\(target.parentDirectory)/.\(target.lastComponent).lock"
  }
}

extension FileBackend {
  /// Waits until no other writer has the file; makes its directories.
  ///
  /// The patience is how long to wait at most, nil to fail at once if the lock is not free; after
  /// that it throws ``KeyValueStoreError/busy(path:holder:)``.
  func takeTurn(within patience: Duration?) throws(KeyValueStoreError) -> FileTurn {
    do throws(SystemError) {
      var target = try resolve()
      while true {
        let lock = try fileSystem.makingDirectories(for: target) {
          () throws(SystemError) -> FileLock in
          try takeLock(FileTurn.lockPath(for: target), within: patience)
        }
        // A link may have been changed while this waited.
        let current = try resolve()
        if current.isSamePath(as: target) { return FileTurn(target: target, lock: lock) }
        target = current
      }
    } catch {
      throw KeyValueStoreError(error)
    }
  }

  private func takeLock(_ path: String, within patience: Duration?) throws(SystemError) -> FileLock
  {
    if let patience { return try FileLock(at: path, in: fileSystem, timeout: patience) }
    if let lock = try FileLock.ifFree(at: path, in: fileSystem) { return lock }
    throw SystemError(call: .flock, path: path, code: ETIMEDOUT)
  }

  private func resolve() throws(SystemError) -> String {
    try fileSystem.resolve(path).path
  }
}
