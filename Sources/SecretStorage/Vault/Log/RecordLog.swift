/// A log of opaque records with digests, to which several writers can append.
package protocol RecordLog: Sendable {
  /// The name of the log, for messages.
  var name: String { get }

  /// Returns whether the log still ends at a position; must be fast, because each access calls it.
  func isCurrent(_ position: LogPosition) throws(SecretStoreError) -> Bool

  /// Returns the records after a position, or all records for nil; a missing log has none.
  ///
  /// Reading from the beginning also removes temporary files of killed writers.
  ///
  /// If the log was replaced, the closure receives the last record that was written with the new
  /// log, and returns whether the reader has all items up to it. Then only later records are read.
  func changes(
    since position: LogPosition?,
    isContinued: (LogRecord) throws(SecretStoreError) -> Bool
  ) throws(SecretStoreError) -> LogChanges

  /// Calls a closure while no other writer is active; throws `busy` if one is active for too long.
  /// A replacement of the log by another process is durable before the call.
  func withWriterLock<Result>(
    _ body: (_ append: LogAppend) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result

  /// Replaces the whole log atomically, and keeps the old log under another name if requested.
  ///
  /// The new log begins with the records of `beginning`, which are written while other writers are
  /// active. The records of `make`, which is called as by ``withWriterLock(_:)``, follow. If `make`
  /// returns nil or an error is thrown, the log is unchanged. The error is `conflict` if the log
  /// does not end at the position that `make` returns.
  ///
  /// - Returns: The error because of which the new log may not survive a power failure, if any.
  ///   The machine's state must then not refer to the new log yet.
  func replace(
    keepingOld: Bool, beginning: LogBeginning,
    by make: () throws(SecretStoreError) -> (records: [LogRecord], position: LogPosition)?
  ) throws(SecretStoreError) -> SecretStoreError?

  /// Flushes the log, without waiting; returns false if a writer is active or has changed the log.
  func synchronize(to position: LogPosition) throws(SecretStoreError) -> Bool

  /// Calls a handler after each change by any process that the operating system reports.
  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(SecretStoreError) -> ChangeObservation
}

/// Appends records, if any, atomically and durably at a position, in place of a torn end, and
/// returns the position after the records; throws `conflict` if the log has changed.
package typealias LogAppend = (
  _ records: [LogRecord], _ position: LogPosition
) throws(SecretStoreError) -> LogPosition

/// Passes the first records of a new log to a closure.
package typealias LogBeginning = (
  _ write: (LogRecord) throws(SecretStoreError) -> Void
) throws(SecretStoreError) -> Void

/// Reads bytes of a log at an offset as in ``LogRecord/offset``, even after the log's replacement.
package typealias LogReader =
  @Sendable (_ offset: Int, _ count: Int) throws(SecretStoreError) -> ArraySlice<UInt8>

extension RecordLog {
  func changes(since position: LogPosition?) throws(SecretStoreError) -> LogChanges {
    try changes(since: position) { _ in false }
  }
}

/// A record of a log, with its digest.
package struct LogRecord: Sendable {
  package let payload: ArraySlice<UInt8>
  /// SHA-256 of the payload.
  package let digest: ArraySlice<UInt8>
  /// The function that reads the payload again; nil if the log has none.
  package var reader: LogReader?
  /// The offset of the payload for `reader`.
  package var offset = 0
}

/// A position between two records or at the end, in one state of a log.
package struct LogPosition: Hashable, Sendable {
  /// The position in a log that does not exist.
  package static let nowhere = LogPosition(size: 0, state: .zero)

  /// The size of the log up to the position, in bytes.
  package let size: Int
  /// The state of the log, as numbers that only the log interprets.
  package let state: SIMD8<UInt64>
}

/// The content of a log after a position.
package struct LogChanges: Sendable {
  /// The maximum number of damaged places that are distinguished; the rest counts as one more.
  package static let damageLimit = 1000

  /// A record of a log, or damage between records.
  package enum Entry: Sendable {
    case record(LogRecord)
    /// Bytes that are not a record, with a description of their place and their start position.
    case damaged(String, after: LogPosition)
  }

  /// Bytes at the end of a log that are not a record.
  package struct Tail: Sendable {
    package let place: String
    /// Whether the bytes are the beginning of a record, as an interrupted append leaves it.
    package let isTorn: Bool
    /// Whether the bytes include zeros in the place of a sector that was never written.
    package let isUnwritten: Bool
    /// Whether zeros follow the beginning of a record, also in the space that is reserved after it.
    package var isIncomplete = false
  }

  /// Whether the log was replaced since the position, so that everything read before is invalid.
  package let isReset: Bool
  package var entries: [Entry] = []
  package var tail: Tail?
  /// The end of the last entry.
  package let position: LogPosition
}
