import CLibrary
import StorageInternals

// Reserving disk space with a file, which is truncated in steps for removals on a full disk.
extension FileRecordLog {
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

  /// Whether the file is complete, so that the disk has space for more.
  var isReserveComplete: Bool {
    do throws(SystemError) {
      return try fileSystem.status(of: reservePath).map { $0.size >= Self.reserveSize } ?? false
    } catch {
      return false
    }
  }

  /// Restores the whole file if there is enough space; `lock` is the lock of the log's writers.
  func fillReserve(holding lock: borrowing FileLock) {
    do throws(SystemError) {
      let status = try fileSystem.status(of: reservePath)
      if let status, status.size >= Self.reserveSize { return }
      guard let file = try openReserve(O_CREAT) else { return }
      let oldSize = try file.status().size
      do throws(SystemError) {
        // The file is not flushed: after a power failure, the next write restores it.
        try file.write(Array(Self.reserveContent[oldSize...]), at: oldSize)
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
