/// A log of opaque records with digests, to which several writers can append.
package protocol RecordLog: Sendable {
  /// The name of the log, for messages.
  var name: String { get }

  /// Returns whether the log still ends at a position; called at each access, so it is cheap.
  func isCurrent(_ position: LogPosition) throws(SecretStoreError) -> Bool

  /// Returns the records after a position, or all for nil; a log that does not exist has none.
  ///
  /// Reading from the beginning also removes leftovers of killed writers.
  ///
  /// If the log was replaced, the closure receives the last record that the replacement wrote, and
  /// returns whether the reader has all items up to it, so that only later records are returned.
  func changes(
    since position: LogPosition?,
    isContinued: (LogRecord) throws(SecretStoreError) -> Bool
  ) throws(SecretStoreError) -> LogChanges

  /// Calls a closure while no other writer is active; throws `busy`, without a call, if others are
  /// for too long. The log, which another process may have replaced, is durable before the call.
  func withWriterLock<Result>(
    _ body: (_ append: LogAppend) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result

  /// Replaces the whole log atomically; `make` is called as by ``withWriterLock(_:)``.
  ///
  /// The log is unchanged if `make` returns nil, or after an error, which is `conflict` unless the
  /// log ends at the position. The records of `beginning` precede the others, and are added while
  /// other writers are active.
  ///
  /// - Returns: The error because of which the new log may not survive a power failure, if any.
  ///   Then the machine's state must not refer to the new log yet.
  func replace(
    keepingOld: Bool, beginning: LogBeginning,
    by make: () throws(SecretStoreError) -> (records: [LogRecord], position: LogPosition)?
  ) throws(SecretStoreError) -> SecretStoreError?

  /// Flushes the log up to a position, without waiting for writers; false if one is or was active.
  func synchronize(to position: LogPosition) throws(SecretStoreError) -> Bool

  /// Calls a handler after each change that the machine reports, by any process.
  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(SecretStoreError) -> ChangeObservation
}

/// Appends records, if any, atomically and durably, in place of a torn end, and returns the
/// position after them; throws `conflict` unless the log ends at the position.
package typealias LogAppend = (
  _ records: [LogRecord], _ position: LogPosition
) throws(SecretStoreError) -> LogPosition

/// Passes the first records of a new log to a closure.
package typealias LogBeginning = (
  _ write: (LogRecord) throws(SecretStoreError) -> Void
) throws(SecretStoreError) -> Void

/// Reads bytes at an offset, which only the log can interpret, even after the log's replacement.
package typealias LogReader =
  @Sendable (_ offset: Int, _ count: Int) throws(SecretStoreError) -> ArraySlice<UInt8>

extension RecordLog {
  func changes(since position: LogPosition?) throws(SecretStoreError) -> LogChanges {
    try changes(since: position) { _ in false }
  }
}

package struct LogRecord: Sendable {
  package let payload: ArraySlice<UInt8>
  /// SHA-256 of the payload.
  package let digest: ArraySlice<UInt8>
  /// Reads the payload again; nil if the log cannot.
  package var reader: LogReader?
  /// The offset of the payload for `reader`.
  package var offset = 0
}

package struct LogPosition: Hashable, Sendable {
  /// The position in a log that does not exist.
  package static let nowhere = LogPosition(size: 0, state: .zero)

  /// The size of the log up to the position, in bytes.
  package let size: Int
  /// Numbers that only the log can interpret.
  package let state: SIMD4<UInt64>
}

/// The content of a log after a position.
package struct LogChanges: Sendable {
  /// The maximum number of damaged places to distinguish; the rest of the log counts as one more.
  package static let damageLimit = 1000

  package enum Entry: Sendable {
    case record(LogRecord)
    /// Bytes that are not a record, with a description of their place and their start position.
    case damaged(String, after: LogPosition)
  }

  /// Bytes at the end of a log that are not a record.
  package struct Tail: Sendable {
    package let place: String
    /// Whether they are the beginning of a record, as left by an interrupted append.
    package let isTorn: Bool
    /// Whether some of them were evidently never written to the disk.
    package let isUnwritten: Bool
  }

  /// Whether the log was replaced since the position, so that everything read before is invalid.
  package let isReset: Bool
  package var entries: [Entry] = []
  package var tail: Tail?
  /// The end of the last entry.
  package let position: LogPosition

  /// The newest well-formed key table, which is not authenticated; nil if there is none.
  func newestTable(_ cipher: any SecretCipher) -> KeyTable? {
    for case .record(let record) in entries.reversed() {
      if let read = KeyTableRecord.ifTable(record.payload, cipher) { return read.table }
    }
    return nil
  }
}
