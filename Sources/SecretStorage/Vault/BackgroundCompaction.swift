/// When a vault is compacted without being asked.
///
/// After a failure, such as of a full disk, every write would find the vault worth compacting again.
/// The next attempt waits until the log has grown, each time by twice as much as the time before.
struct BackgroundCompaction: Sendable {
  /// Files under this size are not worth the trouble, in bytes.
  static let negligible = 64 * 1024

  /// Whether a thread of this process compacts the vault now.
  private(set) var isUnderWay = false
  /// By how much the log has to grow after the next failure, in bytes.
  private var delay = negligible
  /// The size of the log from which on compaction is tried, in bytes.
  private var threshold = 0

  /// Begins, unless it is too early for a log of a size.
  mutating func begins(atSize size: Int) -> Bool {
    // A smaller log is another file, of another process or of a later compaction.
    if threshold - size > delay { threshold = 0 }
    guard !isUnderWay, size >= threshold else { return false }
    isUnderWay = true
    return true
  }

  mutating func end(succeeded: Bool, atSize size: Int) {
    isUnderWay = false
    if succeeded {
      self = BackgroundCompaction()
    } else {
      threshold = size + delay
      // Up to a quarter of the file, so that it never gets much larger than it has to.
      delay = min(delay * 2, max(1 << 20, size / 4))
    }
  }
}
