import StorageInternals

/// A log of opaque records with digests, to which several writers can append.
///
/// The built-in log is a file, but the protocol does not require that.
protocol RecordLog: Sendable {
  /// The maximum time that a writer waits for other writers.
  ///
  /// After it, writing throws ``SecretStoreError/busy(path:holder:)`` and changes nothing. Reading
  /// does not wait for writers.
  var lockTimeout: LockTimeout { get set }

  /// Returns the records appended after a position, or all records if the position is nil.
  ///
  /// It is called at each access to the vault, and is cheap if nothing was appended. Reading from
  /// the beginning also removes leftovers of killed writers.
  ///
  /// If the log was replaced since the position, the closure gets the last record that the
  /// replacement wrote, and returns whether the reader knows all content up to that record. If so,
  /// the record becomes the ``LogChanges/continuation``, and only later records are returned.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` and similar errors when the log cannot be read.
  ///   A log that does not exist yet is not an error and has no records.
  func changes(
    since position: LogPosition?,
    isContinued: (LogRecord) throws(SecretStoreError) -> Bool
  ) throws(SecretStoreError) -> LogChanges

  /// Appends records atomically, durable on return, and returns the position after them.
  ///
  /// They are made while no other writer is active, so that faster writers cannot starve long work.
  /// Nil leaves the log unchanged. A torn end of the log is truncated.
  ///
  /// - Throws: ``SecretStoreError/conflict`` when the log does not end at the position.
  func append(
    by make: () throws(SecretStoreError) -> (records: [LogRecord], position: LogPosition)?
  ) throws(SecretStoreError) -> LogPosition?

  /// Replaces the whole log with other records, atomically, while no other writer is active.
  ///
  /// The records are made from the content up to the position, while no other writer is active, as
  /// in ``append(by:)``; nil leaves the log unchanged. The replaced log may be kept aside, for the
  /// user to inspect.
  ///
  /// If there is a closure for the beginning, its records precede the others. They are written
  /// while other writers are active, if the log supports that.
  ///
  /// - Returns: Why the new log, which is in place, may not survive a power failure; nil if it
  ///   will.
  /// - Throws: ``SecretStoreError/conflict`` when the log does not end at the position, or the
  ///   error of putting the new log in place. The old log is then still there.
  func replace(
    keepingOld: Bool, beginning: LogBeginning?,
    by make: () throws(SecretStoreError) -> (records: [LogRecord], position: LogPosition)?
  ) throws(SecretStoreError) -> SecretStoreError?

  /// Flushes the log up to a position, so that it survives a power failure; returns false if a
  /// writer is active, or was meanwhile.
  ///
  /// It waits for the disk, and not for writers.
  func synchronize(to position: LogPosition) throws(SecretStoreError) -> Bool

  /// Prevents other users from replacing the log.
  ///
  /// - Throws: ``SecretStoreError/insecure(path:reason:)`` if this process cannot.
  func protect() throws(SecretStoreError)

  /// The names of the logs that were kept aside when they were replaced.
  var keptAside: [String] { get throws(SecretStoreError) }

  /// Removes logs that were kept aside.
  func removeKeptAside(_ names: [String]) throws(SecretStoreError)

  /// Releases some of the space reserved for removals on a full disk; false if none is left.
  func makeRoom() -> Bool

  /// Calls a handler after each change that the machine reports, by any process.
  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(SecretStoreError) -> ChangeObservation

  /// The name of the log, for messages.
  var name: String { get }
}

/// Calls a closure with each record at the beginning of a new log.
typealias LogBeginning = (
  _ write: (LogRecord) throws(SecretStoreError) -> Void
) throws(SecretStoreError) -> Void

extension RecordLog {
  func changes(since position: LogPosition?) throws(SecretStoreError) -> LogChanges {
    try changes(since: position) { _ in false }
  }
}

/// A record of a log.
struct LogRecord: Sendable {
  /// The content of the record.
  let payload: ArraySlice<UInt8>
  /// SHA-256 of the payload.
  let digest: ArraySlice<UInt8>
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
  /// A record or a damaged part of a log.
  enum Entry: Sendable {
    case record(LogRecord)
    /// Bytes that are not a record; the text says where, and the position is their beginning.
    case damaged(String, after: LogPosition)
  }

  /// Bytes at the end of a log that are not a record.
  struct Tail: Sendable {
    /// Their place, for a message.
    let place: String
    /// Whether they are the beginning of a record, as left by an interrupted append.
    let isTorn: Bool
    /// Whether some of them were evidently never written to the disk.
    let isUnwritten: Bool
  }

  /// Whether the log is not the one of the position, so that everything read from that is void.
  let startsOver: Bool
  /// The last record of a replacement of the log, up to which the reader knows the content.
  var continuation: LogRecord?
  var entries: [Entry] = []
  /// The bytes after the last entry, if there are any.
  var tail: Tail?
  /// The end of the last entry.
  let position: LogPosition
}
