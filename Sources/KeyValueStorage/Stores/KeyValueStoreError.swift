/// Why a store could not be read or written, or one of its values not be decoded or encoded.
///
/// No case carries a value.
public enum KeyValueStoreError: Error, Hashable, Sendable {
  /// The file is damaged, half written, or not of its format: nothing is read from it or written to
  /// it until it is mended or moved aside.
  case unreadable(UnreadableFile)
  /// The file is there, but without a byte in it.
  case empty(path: String)
  /// The path leads to what is not a file, such as a directory.
  case notAFile(path: String)
  /// The file has, or would have, more bytes than a store takes.
  case tooLarge(path: String, limit: Int)
  /// The file belongs to another user, and would become this one's by being written.
  case ownedByAnother(path: String)
  /// Another process held the lock of the file for as long as ``KeyValueStore/lockTimeout`` allows;
  /// `path` is that of the lock, `holder` the process, where the kernel tells.
  ///
  /// Until the lock is free, further writes fail so at once. What they could not write is kept and
  /// tried again.
  case busy(path: String, holder: Int32?)
  /// The contents are of a newer version than this app knows.
  case newerVersion(found: Int, supported: Int)
  /// A migration to this version failed; nothing was changed.
  case migrationFailed(version: Int, reason: String)
  /// The value of the key is not one of the type that was asked for.
  case undecodable(key: String, type: String, reason: String)
  /// The value cannot be held exactly by the store's format.
  case unencodable(key: String, type: String, reason: String)
  /// What was given cannot be used, for the reason given.
  case invalid(String)
  /// The store cannot be reached, for the reason given.
  case unavailable(String)
  /// Whoever was told of the progress ended the work before it was done.
  case cancelled
  /// A system call failed.
  case system(call: String, path: String, code: Int32)
}

/// A file that could not be read as what it should be, and where.
public struct UnreadableFile: Hashable, Sendable {
  /// The file, after symbolic links.
  public let path: String
  /// What is wrong there, as a clause.
  public let reason: String
  /// Where, in bytes from the beginning of the file.
  public let offset: Int
  /// The line, from 1; nil in a binary file.
  public let line: Int?
  /// The column, from 1, in code points; nil in a binary file.
  public let column: Int?

  /// Describes an unreadable file.
  public init(path: String, reason: String, offset: Int, line: Int? = nil, column: Int? = nil) {
    self.path = path
    self.reason = reason
    self.offset = offset
    self.line = line
    self.column = column
  }
}
