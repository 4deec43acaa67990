/// A log of opaque records, each with a digest, that several writers extend in turns.
///
/// The embedded one is a file. Nothing here supposes that: a log on other machines fits as well.
protocol RecordLog: Sendable {
  /// How long a writer waits for the others.
  ///
  /// When that is over, writing throws ``SecretStoreError/busy(path:holder:)`` and changed nothing.
  /// Reading does not wait for writers.
  var lockTimeout: LockTimeout { get set }

  /// What was appended after a position, or since the beginning where there is none.
  ///
  /// When nothing was, this is cheap: it is asked at each access to the vault. Reading from the
  /// beginning also tidies up after writers that were killed.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` and its like when the log cannot be read. A log
  ///   that does not exist yet is not an error but has no records.
  func changes(since position: LogPosition?) throws(SecretStoreError) -> LogChanges

  /// Appends records that are durable when this returns, all or none, and returns the position
  /// after them.
  ///
  /// What is torn at the log's end is cut off.
  ///
  /// - Throws: ``SecretStoreError/conflict`` when the log does not end at the position.
  func append(
    _ records: [LogRecord], after position: LogPosition
  ) throws(SecretStoreError) -> LogPosition

  /// Appends records that are made while nobody else writes, and returns the position after them.
  ///
  /// Otherwise writers that are always faster could keep long work from ever being done. Nil leaves
  /// the log as it is.
  ///
  /// - Throws: ``SecretStoreError/conflict`` when the log does not end at the position.
  func append(
    by make: () throws(SecretStoreError) -> (records: [LogRecord], position: LogPosition)?
  ) throws(SecretStoreError) -> LogPosition?

  /// Replaces the whole log by other records, all or nothing, while nobody else writes.
  ///
  /// The records are made of what was read up to the position, and while nobody else writes, like
  /// those of
  /// ``append(by:)``; nil leaves the log as it is. The replaced log may be kept aside, for a person to
  /// look at.
  ///
  /// - Returns: Why the new log, which is in place, may not outlast a power cut; nil if it will.
  /// - Throws: ``SecretStoreError/conflict`` when the log does not end at the position, or what
  ///   kept the new log from its place. The old one is there then.
  func replace(
    keepingOld: Bool,
    by make: () throws(SecretStoreError) -> (records: [LogRecord], position: LogPosition)?
  ) throws(SecretStoreError) -> SecretStoreError?

  /// Gives up some of the space that is kept for removals on a full disk; false when none is left.
  func makeRoom() -> Bool

  /// Calls a handler after each change that the machine reports, whoever made it.
  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(SecretStoreError) -> ChangeObservation

  /// Names the log in messages.
  var name: String { get }
}

/// A record of a log.
struct LogRecord: Sendable {
  /// The record itself.
  let payload: ArraySlice<UInt8>
  /// SHA-256 of the payload.
  let digest: ArraySlice<UInt8>
}

/// A place in a log, meaningful to that log alone.
struct LogPosition: Hashable, Sendable {
  let words: SIMD8<UInt64>
}

/// What stands in a log after a position.
struct LogChanges: Sendable {
  /// Something at one place of a log.
  enum Entry: Sendable {
    case record(LogRecord)
    /// Bytes that are no record; the text says where they are, and the position where they begin.
    case damaged(String, after: LogPosition)
  }

  /// Bytes at the end of a log that are no record.
  struct Tail: Sendable {
    /// Where they are, for a message.
    let place: String
    /// Whether they are the beginning of a record, as an interrupted append leaves it.
    let isTorn: Bool
    /// Whether some of them never came to the disk, as surely as that can be seen.
    let isUnwritten: Bool
  }

  /// The log is another one than the position was in: whatever was read from it is void.
  let startsOver: Bool
  let entries: [Entry]
  /// What follows the last entry, if anything does.
  let tail: Tail?
  /// The end of the last entry.
  let position: LogPosition
}
