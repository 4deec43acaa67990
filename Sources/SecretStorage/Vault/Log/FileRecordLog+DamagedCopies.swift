import CLibrary
import StorageInternals

// Keeping, finding and removing the files that repairs have replaced. Such a file may be the only
// copy of unreadable content, so it is not removed automatically.
extension FileRecordLog {
  private var copyPrefix: String { "\(path.companionName).damaged-" }

  /// Keeps the file, in the state of a position, as a hard link or, if unsupported, as a copy.
  func keepDamagedCopy(of position: LogPosition) throws(SecretStoreError) {
    // The state has the size at index 2, and the last modification, in ns since 1970, at index 3.
    let copyPath = path.companion(".damaged-\(Int64(bitPattern: position.state[3]))")
    do throws(SystemError) {
      do throws(SystemError) {
        try fileSystem.link(path, to: copyPath)
      } catch {
        if !error.isUnsupported { throw error }
        let file = try fileSystem.open(path, O_RDONLY | O_NOFOLLOW)
        let bytes = try file.read(from: 0, count: position.fileSize)
        try fileSystem.replaceFile(at: copyPath, with: bytes, mode: 0o600, overwriting: false)
      }
    } catch {
      // An earlier attempt that was interrupted may have created the copy.
      if error.code == EEXIST, try mapErrors(isCopied(to: copyPath)) { return }
      throw SecretStoreError(error)
    }
  }

  var damagedCopies: [String] {
    get throws(SecretStoreError) {
      do throws(SystemError) {
        return try fileSystem.entries(of: directory).filter(isDamagedCopy).sorted().map {
          "\(directory)/\($0)"
        }
      } catch {
        if error.code == ENOENT { return [] }
        throw SecretStoreError(error)
      }
    }
  }

  /// Removes the kept files durably, and returns their paths.
  func removeDamagedCopies() throws(SecretStoreError) -> [String] {
    let paths = try damagedCopies
    if paths.isEmpty { return paths }
    let lock = try acquireWriteLock()
    defer { withExtendedLifetime(lock) {} }
    for copyPath in paths { try mapErrors(fileSystem.unlink(copyPath)) }
    try mapErrors(fileSystem.synchronizeDirectory(directory))
    return paths
  }

  private func isDamagedCopy(_ name: String) -> Bool {
    // The bytes are compared, because canonically equivalent strings can name different files.
    guard name.utf8.starts(with: copyPrefix.utf8) else { return false }
    let digits = name.utf8.dropFirst(copyPrefix.utf8.count)
    // A time before 1970 is negative.
    return !digits.isEmpty && digits.allSatisfy("-0123456789".utf8.contains)
  }

  /// Returns whether another path leads to the same file or to a complete copy of it.
  private func isCopied(to copyPath: String) throws(SystemError) -> Bool {
    let file = try fileSystem.open(path, O_RDONLY | O_NOFOLLOW)
    let other = try fileSystem.open(copyPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    let count = try file.status().size
    return try file.read(from: 0, count: count) == other.read(from: 0, count: count + 1)
  }
}
