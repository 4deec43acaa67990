import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A file beside a log whose only use is its space: it is given up, a part at a time, when the disk
/// is full and a secret is to be removed.
struct DiskReserve: Sendable {
  private let path: String
  private let fileSystem: FileSystem

  /// The size of the whole file and of a part, in bytes.
  private static let count = 64 * 1024
  private static let part = 16 * 1024

  /// Bytes without repetition, because some file systems compress, and take no space for zeros.
  private static let content: [UInt8] = {
    var state: UInt64 = 1
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }()

  init(of log: String, in fileSystem: FileSystem) {
    path = "\(log).reserve"
    self.fileSystem = fileSystem
  }

  /// Makes the file whole again if there is room for all of it.
  ///
  /// The lock is that of the log's writers.
  func fill(holding lock: borrowing FileLock) {
    do throws(SystemError) {
      if let status = try fileSystem.status(of: path), status.size >= Self.count { return }
      guard let file = try open(O_CREAT) else { return }
      let size = try file.status().size
      do throws(SystemError) {
        // Not synchronised: after a power cut, the next write fills it again.
        try file.write(Self.content[size...], at: size)
      } catch {
        try file.truncate(to: size)
        throw error
      }
    } catch {
      // There is no room, or no file may be made here: a write does without a reserve.
    }
  }

  /// Gives up a part of the space; false when nothing is left.
  func giveUpPart() -> Bool {
    do throws(SystemError) {
      guard let file = try open(0) else { return false }
      let size = try file.status().size
      if size == 0 { return false }
      try file.truncate(to: max(0, size - Self.part))
      return true
    } catch {
      // The caller has the error that matters, which is that of the full disk.
      return false
    }
  }

  /// Opens the file; nil if it cannot be one that was made here.
  private func open(_ flags: Int32) throws(SystemError) -> File? {
    // Non-blocking, because a FIFO in the file's place would let the caller wait for ever.
    let file = try fileSystem.open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | flags, mode: 0o600)
    let status = try file.status()
    guard status.isRegularFile, status.owner == geteuid(), status.links == 1,
      status.size <= Self.count
    else { return nil }
    return file
  }
}
