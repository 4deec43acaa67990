import CLibrary
import StorageInternals

// Files that a repair replaced. Each may be the only copy of unreadable content, so none is removed
// automatically.
extension FileRecordLog {
  private var asidePrefix: String { "\(path.lastComponent).damaged-" }

  /// Keeps the file of a position under another name, which contains its modification time.
  func keepAside(_ position: LogPosition) throws(SecretStoreError) {
    try keepAside("\(path).damaged-\(FilePosition(position).modified)")
  }

  var keptAside: [String] {
    get throws(SecretStoreError) {
      let directory = path.parentDirectory
      do throws(SystemError) {
        return try fileSystem.entries(of: directory).filter(isAside).sorted().map {
          "\(directory)/\($0)"
        }
      } catch {
        if error.code == ENOENT { return [] }
        throw SecretStoreError(error)
      }
    }
  }

  func removeKeptAside(_ names: [String]) throws(SecretStoreError) {
    if names.isEmpty { return }
    let lock = try takeTurn()
    defer { withExtendedLifetime(lock) {} }
    try system { () throws(SystemError) in
      for name in names { try fileSystem.unlink(name) }
      try fileSystem.synchronizeDirectory(path.parentDirectory)
    }
  }

  /// Whether a name has the form that ``keepAside(_:)`` creates.
  private func isAside(_ name: String) -> Bool {
    // By bytes: names that are equal as text can belong to different files.
    guard name.utf8.starts(with: asidePrefix.utf8) else { return false }
    let digits = name.utf8.dropFirst(asidePrefix.utf8.count)
    return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D }
  }

  /// Creates a hard link to the file, or a copy if the file system has no hard links.
  private func keepAside(_ name: String) throws(SecretStoreError) {
    do {
      try fileSystem.link(path, to: name)
    } catch {
      if error.isUnsupported { return try copy(to: name) }
      // An interrupted earlier attempt may have created the name; otherwise it is another file's.
      if error.code == EEXIST, try isKept(as: name) { return }
      throw SecretStoreError(error)
    }
  }

  private func copy(to name: String) throws(SecretStoreError) {
    let file = try system { () throws(SystemError) in
      try fileSystem.open(path, O_RDONLY | O_NOFOLLOW)
    }
    let status = try system { () throws(SystemError) in try file.status() }
    try checkSize(status)
    do {
      let bytes = try file.read(from: 0, count: status.size)
      try fileSystem.replaceFile(at: name, with: bytes, mode: 0o600, overwriting: false)
    } catch {
      if error.code == EEXIST, try isKept(as: name) { return }
      throw SecretStoreError(error)
    }
  }

  /// Whether another name refers to the same file or to a copy of it.
  private func isKept(as name: String) throws(SecretStoreError) -> Bool {
    try system { () throws(SystemError) in
      let file = try fileSystem.open(path, O_RDONLY | O_NOFOLLOW)
      let other = try fileSystem.open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      let (status, otherStatus) = (try file.status(), try other.status())
      if status.inode == otherStatus.inode { return true }
      guard otherStatus.isRegularFile, status.size == otherStatus.size, status.size <= sizeLimit
      else { return false }
      return try file.read(from: 0, count: status.size)
        == other.read(from: 0, count: status.size)
    }
  }
}
