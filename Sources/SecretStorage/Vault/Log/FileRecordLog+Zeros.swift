import CLibrary
import StorageInternals

// Reserving space in the file itself: zeros after the last record, which later records replace.
extension FileRecordLog {
  // The limits of the zeros that a write adds, in bytes, before they are rounded up to whole blocks,
  // and the size of a block. The zeros are at most a sixteenth of a large file.
  private static let zeros = 4096...65536
  private static let blockSize = 4096
  /// The maximum number of zeros that records replace.
  ///
  /// No writer adds more, so more are removed by the next one, as an interrupted write is.
  static let zerosLimit = zeros.upperBound + blockSize

  /// Writes frames to the end of a file, followed by zeros if there is enough space.
  func write(
    _ frames: [UInt8], at offset: Int, reservingZeros reserves: Bool, in file: borrowing File
  ) throws(SystemError) {
    let end = offset + frames.count
    let count = reserves && isReserveComplete ? zeroCount(after: end) : 0
    if count > 0 {
      do throws(SystemError) {
        // The zeros are written, because a file system converts unwritten blocks at each write.
        let zeros = [UInt8](repeating: 0, count: count)
        _ = try file.write(frames + zeros, at: offset, atLeast: frames.count)
        return
      } catch {
        guard [ENOSPC, EDQUOT].contains(error.code) else { throw error }
      }
    }
    try file.write(frames, at: offset)
  }

  /// Returns the number of zeros that a write adds after its records.
  private func zeroCount(after end: Int) -> Int {
    let wanted = min(max(end / 16, Self.zeros.lowerBound), Self.zeros.upperBound)
    let size = (end + wanted + Self.blockSize - 1) / Self.blockSize * Self.blockSize
    return max(0, min(size, sizeLimit) - end)
  }
}
