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
  /// returns whether the reader already has all items up to this record. If so, the record becomes
  /// the ``LogChanges/continuation``, and only later records are returned.
  func changes(
    since position: LogPosition?,
    isContinued: (LogRecord) throws(SecretStoreError) -> Bool
  ) throws(SecretStoreError) -> LogChanges

  /// Calls a closure while no other writer is active, so that long work cannot starve.
  ///
  /// Throws `busy`, without a call, if other writers are active for too long; reading never waits
  /// for them. If a replacement of the log by another process or a failed flush may not survive a
  /// power failure, the log is made durable before the call.
  func withWriterLock<Result>(
    _ body: (_ append: LogAppend) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result

  /// Replaces the whole log atomically; `make` is called as by ``withWriterLock(_:)``.
  ///
  /// The log is unchanged if `make` returns nil, or after an error, which is `conflict` unless the
  /// log ends at the position. A copy of the old log may be kept for inspection.
  ///
  /// The records of `beginning` precede the others, and are added while other writers are active.
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

/// Appends records atomically and durably, and returns the position after them.
///
/// Without records, the log is only flushed. A torn end is truncated. Throws `conflict` unless the
/// log ends at the position.
package typealias LogAppend = (
  _ records: [LogRecord], _ position: LogPosition
) throws(SecretStoreError) -> LogPosition

/// Passes the records at the beginning of a new log to a closure.
package typealias LogBeginning = (
  _ write: (LogRecord) throws(SecretStoreError) -> Void
) throws(SecretStoreError) -> Void

/// Reads bytes at an offset, which only the log can interpret, even after the log's replacement.
///
/// Throws `corrupted` if the bytes are missing.
package typealias LogReader =
  @Sendable (_ offset: Int, _ count: Int) throws(SecretStoreError) -> ArraySlice<UInt8>

extension RecordLog {
  func changes(since position: LogPosition?) throws(SecretStoreError) -> LogChanges {
    try changes(since: position) { _ in false }
  }
}

/// A record with its digest.
package struct LogRecord: Sendable {
  package let payload: ArraySlice<UInt8>
  /// SHA-256 of the payload.
  package let digest: ArraySlice<UInt8>
  /// Reads the payload again; nil if the log cannot.
  package var reader: LogReader?
  /// The offset of the payload for `reader`.
  package var offset = 0
}

/// A position in a log, which only that log can interpret.
package struct LogPosition: Hashable, Sendable {
  /// The position in a log that does not exist.
  package static let nowhere = LogPosition(words: SIMD8(repeating: 0))

  /// Numbers that each log defines for itself.
  package let words: SIMD8<UInt64>
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
  /// The last record of a replacement of the log, up to which the reader already has the content.
  package var continuation: LogRecord?
  package var entries: [Entry] = []
  package var tail: Tail?
  /// The end of the last entry.
  package let position: LogPosition

  /// The newest well-formed key table, which is not authenticated; nil if there is none.
  var newestTable: KeyTable? {
    for case .record(let record) in entries.reversed() {
      if let table = KeyTableRecord.ifTable(record.payload)?.table { return table }
    }
    return nil
  }
}
