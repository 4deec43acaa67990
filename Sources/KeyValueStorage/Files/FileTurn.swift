import StorageInternals

/// A turn at writing a file, over when this is released.
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
  /// Waits until no other writer is at the file; makes its directories.
  func takeTurn() throws(KeyValueStoreError) -> FileTurn {
    do throws(SystemError) {
      var target = try resolve()
      while true {
        let lock = try fileSystem.makingDirectories(for: target) { () throws(SystemError) in
          try FileLock(at: FileTurn.lockPath(for: target), in: fileSystem)
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

  private func resolve() throws(SystemError) -> String {
    try fileSystem.resolve(path).path
  }
}
