import CLibrary
import StorageInternals

// Files that a repair replaced. Each may be the only copy of unreadable content, so none is removed
// automatically.
extension FileRecordLog {
  private var copyPrefix: String { "\(path.companionName).damaged-" }

  /// Keeps the file, which ends at a position, as a hard link or, if there are none, as a copy.
  func keepDamagedCopy(of position: LogPosition) throws(SecretStoreError) {
    // The time of the last modification, in nanoseconds since 1970.
    let name = path.companion(".damaged-\(Int64(bitPattern: position.state[3]))")
    do throws(SystemError) {
      do throws(SystemError) {
        try fileSystem.link(path, to: name)
      } catch {
        if !error.isUnsupported { throw error }
        let file = try fileSystem.open(path, O_RDONLY | O_NOFOLLOW)
        let bytes = try file.read(from: 0, count: Int(position.state[2]))
        try fileSystem.replaceFile(at: name, with: bytes, mode: 0o600, overwriting: false)
      }
    } catch {
      // An earlier attempt that was interrupted may have created the copy.
      if error.code == EEXIST, try mapErrors(isCopied(to: name)) { return }
      throw SecretStoreError(error)
    }
  }

  var damagedCopies: [String] {
    get throws(SecretStoreError) {
      let directory = path.parentDirectory
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

  func removeDamagedCopies() throws(SecretStoreError) -> [String] {
    let names = try damagedCopies
    if names.isEmpty { return names }
    let lock = try acquireWriteLock()
    defer { withExtendedLifetime(lock) {} }
    for name in names { try mapErrors(fileSystem.unlink(name)) }
    try mapErrors(fileSystem.synchronizeDirectory(path.parentDirectory))
    return names
  }

  /// Whether a name has the form that ``keepDamagedCopy(of:)`` creates.
  private func isDamagedCopy(_ name: String) -> Bool {
    // Compares bytes: strings that are canonically equivalent can name different files.
    guard name.utf8.starts(with: copyPrefix.utf8) else { return false }
    let digits = name.utf8.dropFirst(copyPrefix.utf8.count)
    return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D }
  }

  /// Whether another name refers to the same file or to a complete copy of it.
  private func isCopied(to name: String) throws(SystemError) -> Bool {
    let file = try fileSystem.open(path, O_RDONLY | O_NOFOLLOW)
    let other = try fileSystem.open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    let count = try file.status().size
    return try file.read(from: 0, count: count) == other.read(from: 0, count: count + 1)
  }
}
