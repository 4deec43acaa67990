import StorageInternals

/// A log of opaque records with digests, to which several writers can append.
protocol RecordLog: Sendable {
  /// The maximum time that a writer waits for other writers.
  ///
  /// After this time, writing throws `busy` and changes nothing. Reading never waits for writers.
  var lockTimeout: LockTimeout { get set }

  /// Returns the records after a position, or all for nil; a log that does not exist has none.
  ///
  /// This is called at each access, and is cheap if nothing was appended. Reading from the
  /// beginning also removes leftovers of killed writers.
  ///
  /// If the log was replaced, the closure receives the last record that the replacement wrote, and
  /// returns whether the reader already has all items up to this record. If so, the record becomes
  /// the ``LogChanges/continuation``, and only later records are returned.
  func changes(
    since position: LogPosition?,
    isContinued: (LogRecord) throws(SecretStoreError) -> Bool
  ) throws(SecretStoreError) -> LogChanges

  /// Appends records atomically and durably, and returns the position after them.
  ///
  /// `make` runs while no other writer is active, so that long work cannot starve. If it returns
  /// nil, nothing changes; without records, the log is only flushed. A torn end is truncated.
  /// Throws `conflict` unless the log ends at the position. If a replacement of the log by another
  /// process or a failed flush may not survive a power failure, the log is made durable before
  /// `make` runs.
  func append(
    by make: () throws(SecretStoreError) -> (records: [LogRecord], position: LogPosition)?
  ) throws(SecretStoreError) -> LogPosition?

  /// Replaces the whole log atomically, with records that `make` returns as in ``append(by:)``.
  ///
  /// A copy of the old log may be kept for inspection. After an error, such as `conflict`, it is
  /// unchanged.
  ///
  /// The records of `beginning` precede the others. If the log supports it, they are written while
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

  /// Prevents other users from replacing the log; throws `insecure` if this process cannot.
  func protect() throws(SecretStoreError)

  /// The names of the damaged logs that were kept when they were replaced.
  var damagedCopies: [String] { get throws(SecretStoreError) }

  /// Removes damaged logs that were kept.
  func removeDamagedCopies(_ names: [String]) throws(SecretStoreError)

  /// Releases some of the space reserved for removals on a full disk; false if none is left.
  func releaseReserve() -> Bool

  /// Calls a handler after each change that the machine reports, by any process.
  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(SecretStoreError) -> ChangeObservation

  /// The name of the log, for messages.
  var name: String { get }
}

/// Passes the records at the beginning of a new log to a closure.
typealias LogBeginning = (
  _ write: (LogRecord) throws(SecretStoreError) -> Void
) throws(SecretStoreError) -> Void

extension RecordLog {
  func changes(since position: LogPosition?) throws(SecretStoreError) -> LogChanges {
    try changes(since: position) { _ in false }
  }
}

/// A record with its digest.
struct LogRecord: Sendable {
  let payload: ArraySlice<UInt8>
  /// SHA-256 of the payload.
  let digest: ArraySlice<UInt8>
  /// The log that the record was read from and can be read from again, if it is kept open.
  var source: (any RecordSource)?
  /// The offset of the payload in `source`.
  var offset = 0
}

/// A position in a log, which only that log can interpret.
struct LogPosition: Hashable, Sendable {
  /// The position in a log that does not exist.
  static let nowhere = LogPosition(words: SIMD8(repeating: 0))

  /// Numbers that each log defines for itself.
  let words: SIMD8<UInt64>
}

/// The content of a log after a position.
struct LogChanges: Sendable {
  /// The maximum number of damaged places to distinguish; the rest of the log counts as one more.
  static let damageLimit = 1000

  enum Entry: Sendable {
    case record(LogRecord)
    /// Bytes that are not a record, with a description of their place and their start position.
    case damaged(String, after: LogPosition)
  }

  /// Bytes at the end of a log that are not a record.
  struct Tail: Sendable {
    let place: String
    /// Whether they are the beginning of a record, as left by an interrupted append.
    let isTorn: Bool
    /// Whether some of them were evidently never written to the disk.
    let isUnwritten: Bool
  }

  /// Whether the log was replaced since the position, so that everything read before is invalid.
  let isReset: Bool
  /// The last record of a replacement of the log, up to which the reader already has the content.
  var continuation: LogRecord?
  var entries: [Entry] = []
  var tail: Tail?
  /// The end of the last entry.
  let position: LogPosition

  /// The newest well-formed key table, which is not authenticated; nil if there is none.
  var newestTable: KeyTable? {
    for case .record(let record) in entries.reversed() {
      if let table = KeyTableRecord.ifTable(record.payload)?.table { return table }
    }
    return nil
  }
}
