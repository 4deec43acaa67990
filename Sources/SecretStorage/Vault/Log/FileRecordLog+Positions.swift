import CLibrary
import Concurrency
import StorageInternals
import Synchronization

// Positions in a file whose size and times may stay the same when a record is written to it: the
// record may replace zeros, within one tick of the clock that the kernel takes file times from.

/// Bytes at the end of a log that differ after each write, whatever the file's times are.
///
/// They are the last 16 bytes before the position, which are the tag of its record, and the 8 bytes
/// where the digest of the next record would begin. Those are zeros or missing before it is written.
struct LogSample: Hashable {
  /// The number of bytes before a position that are sampled.
  static let countBefore = 16
  /// The offset of a digest in a frame, rounded up to a multiple of 8.
  private static let digestOffset = 16

  let before: SIMD2<UInt64>
  fileprivate let after: UInt64

  /// The sample after everything behind the position is removed.
  var atEnd: LogSample { LogSample(before: before, after: 0) }

  fileprivate init(before: SIMD2<UInt64>, after: UInt64) {
    (self.before, self.after) = (before, after)
  }

  /// Samples the bytes of a file around an index.
  init(_ bytes: ArraySlice<UInt8>, at end: Int) {
    func number(at index: Int) -> UInt64 {
      (0..<8).reduce(0) { number, place in
        let isPresent = bytes.indices.contains(index + place)
        return number | (isPresent ? UInt64(bytes[index + place]) << UInt64(8 * place) : 0)
      }
    }
    if end < bytes.startIndex + Self.countBefore {
      (before, after) = (.zero, 0)
      return
    }
    before = [number(at: end - Self.countBefore), number(at: end - Self.countBefore + 8)]
    after = number(at: end + Self.digestOffset)
  }

  /// Samples the end of a file that nothing but zeros follows.
  init(endingWith bytes: some BidirectionalCollection<UInt8>) {
    let last = Array(bytes.suffix(Self.countBefore))
    self.init(last[...], at: last.count)
  }

  /// Samples a file around an offset.
  init(_ file: borrowing File, at end: Int) throws(SecretStoreError) {
    var words = SIMD8<UInt64>()
    let offset = end - Self.countBefore
    if offset >= 0 {
      do throws(SystemError) {
        try unsafe withUnsafeMutableBytes(of: &words) { buffer throws(SystemError) in
          let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<40])
          _ = unsafe try file.read(into: part, from: offset)
        }
      } catch {
        throw SecretStoreError(error)
      }
    }
    before = [UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1])]
    after = UInt64(littleEndian: words[4])
  }
}

extension LogPosition {
  /// What follows a position in the file.
  enum Rest: UInt64 {
    /// The end of the file, or the reserve of zeros.
    case end
    /// Bytes that no writer completes.
    case damage
    /// Bytes that an active writer may complete in place, which changes neither size nor sample.
    case unfinished
  }

  init(_ size: Int, _ status: FileStatus, _ sample: LogSample, followedBy rest: Rest = .end) {
    let content = SIMD4(sample.before[0], sample.before[1], sample.after, rest.rawValue)
    self.init(size: size, state: SIMD8(lowHalf: status.logState, highHalf: content))
  }

  /// The numbers of `FileStatus.logState`.
  var fileState: SIMD4<UInt64> { state.lowHalf }
  var fileIdentity: SIMD2<UInt64> { state.lowHalf.lowHalf }
  var fileSize: Int { Int(state[2]) }
  var sample: LogSample { LogSample(before: [state[4], state[5]], after: state[6]) }
  var rest: Rest { Rest(rawValue: state[7]) ?? .unfinished }
  /// The number of zeros after the position, to the end of the file.
  var reserveCount: Int { rest == .end ? fileSize - size : 0 }
}

/// A log's file that stays open for reading, so that its inode is not reused.
final class OpenLog: Sendable {
  let file: File
  let identity: SIMD2<UInt64>
  /// Whether the file's directory entry has been flushed.
  let isNamed = Atomic(false)

  init(_ file: consuming File, _ status: FileStatus) {
    self.file = file
    identity = status.logState.lowHalf
  }
}

extension FileRecordLog {
  func isCurrent(_ position: LogPosition) throws(SecretStoreError) -> Bool {
    guard let status = try mapErrors(fileSystem.status(of: path)) else {
      return position == .nowhere
    }
    guard position.fileState == status.logState, position.rest != .unfinished else { return false }
    if let log = openLog.withLock({ $0 }), log.identity == position.fileIdentity {
      return try LogSample(log.file, at: position.size) == position.sample
    }
    guard let file = try fileSystem.openWithoutFollowingLinks(path, O_RDONLY) else { return false }
    let log = OpenLog(file, status)
    guard try isUnchanged(log.file, mapErrors(log.file.status()), since: position) else {
      return false
    }
    keepOpen(log)
    return true
  }

  /// Keeps a file open unless it is open already.
  func keepOpen(_ log: OpenLog) {
    openLog.withLock { if $0?.identity != log.identity { $0 = log } }
  }

  /// Returns whether a file still ends at a position, whose rest is parsed again if a writer may
  /// have completed it.
  func isUnchanged(
    _ file: borrowing File, _ status: FileStatus, since position: LogPosition
  ) throws(SecretStoreError) -> Bool {
    guard status.logState == position.fileState,
      try LogSample(file, at: position.size) == position.sample
    else { return false }
    if position.rest != .unfinished { return true }
    return try read(file, status, from: position.size).position == position
  }
}

extension FileStatus {
  /// The device, inode, size in bytes, and modification time in nanoseconds, of a log's file.
  var logState: SIMD4<UInt64> {
    SIMD4(device, inode, UInt64(size), UInt64(bitPattern: Int64(modified)))
  }
}
