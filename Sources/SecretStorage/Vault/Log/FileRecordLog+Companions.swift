import CLibrary
import StorageInternals

// Keeping, finding and removing the files that repairs have replaced. Such a file may be the only
// copy of unreadable content, so it is not removed automatically.
extension FileRecordLog {
  private var copyPrefix: String { "\(path.companionName).damaged-" }

  /// Keeps the file, in the state of a position, as a hard link or, if unsupported, as a copy.
  func keepDamagedCopy(of position: LogPosition) throws(SecretStoreError) {
    // The state has the size of the file at index 2, and the time of its last modification, in
    // nanoseconds since 1970, at index 3.
    let copyPath = path.companion(".damaged-\(Int64(bitPattern: position.state[3]))")
    do throws(SystemError) {
      do throws(SystemError) {
        try fileSystem.link(path, to: copyPath)
      } catch {
        if !error.isUnsupported { throw error }
        let file = try fileSystem.open(path, O_RDONLY | O_NOFOLLOW)
        let bytes = try file.read(from: 0, count: Int(position.state[2]))
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
    let paths = try damagedCopies
    if paths.isEmpty { return paths }
    let lock = try acquireWriteLock()
    defer { withExtendedLifetime(lock) {} }
    for copyPath in paths { try mapErrors(fileSystem.unlink(copyPath)) }
    try mapErrors(fileSystem.synchronizeDirectory(path.parentDirectory))
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

  // The sizes of the whole file and of a released part, in bytes.
  private static let reserveSize = 64 * 1024
  private static let partSize = 16 * 1024

  /// The bytes of the file, which are incompressible, because some file systems compress data.
  private static let reserveContent: [UInt8] = {
    var state: UInt64 = 1
    return (0..<reserveSize).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }()

  /// The path of a file that reserves disk space, for removals on a full disk.
  private var reservePath: String { path.companion(".reserve") }

  /// Restores the whole file if there is enough space; `lock` is the lock of the log's writers.
  func fillReserve(holding lock: borrowing FileLock) {
    do throws(SystemError) {
      let status = try fileSystem.status(of: reservePath)
      if let status, status.size >= Self.reserveSize { return }
      guard let file = try openReserve(O_CREAT) else { return }
      let oldSize = try file.status().size
      do throws(SystemError) {
        // The file is not flushed: after a power failure, the next write restores it.
        try file.write(Self.reserveContent[oldSize...], at: oldSize)
      } catch {
        try file.truncate(to: oldSize)
        throw error
      }
    } catch {
      // There is not enough space, or the file cannot be created. Writes work without a reserve.
    }
  }

  /// Releases a part of the space; returns false if no space is left or an error occurs.
  func releaseReserve() -> Bool {
    do throws(SystemError) {
      guard let file = try openReserve(0) else { return false }
      let oldSize = try file.status().size
      if oldSize == 0 { return false }
      try file.truncate(to: max(0, oldSize - Self.partSize))
      return true
    } catch {
      // The caller reports the error of the full disk instead.
      return false
    }
  }

  /// Opens the reserve file; returns nil if this type cannot have created the file at its path.
  private func openReserve(_ flags: Int32) throws(SystemError) -> File? {
    // The open is non-blocking, because opening a FIFO at this path could block indefinitely.
    let flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | flags
    let file = try fileSystem.open(reservePath, flags, mode: 0o600)
    let status = try file.status()
    guard status.isRegularFile, status.owner == geteuid(), status.links == 1,
      status.size <= Self.reserveSize
    else { return nil }
    return file
  }
}
