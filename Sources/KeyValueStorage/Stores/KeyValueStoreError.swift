import CLibrary
import StorageInternals

/// The reason why a store could not be read or written, or a value could not be decoded or encoded.
///
/// No case contains a stored value.
public enum KeyValueStoreError: Error, Hashable, Sendable {
  /// The file is damaged, half written, or of another format; it is neither read nor written until
  /// it is repaired or moved aside.
  case unreadable(UnreadableFile)
  /// The file exists, but is empty.
  case empty(path: String)
  /// The path leads to something other than a file, such as a directory.
  case notAFile(path: String)
  /// The file has, or would have, more bytes than the limit.
  case tooLarge(path: String, limit: Int)
  /// The file belongs to another user, and writing it would change its owner.
  case ownedByAnother(path: String)
  /// Another process held the file's lock for as long as ``KeyValueStore/lockTimeout`` allows;
  /// `path` is the lock's path, `holder` the process, if the kernel reports it.
  ///
  /// Until the lock is free, later writes fail at once. Their changes are kept and retried.
  case busy(path: String, holder: Int32?)
  /// The contents are of a newer version than this app supports.
  case newerVersion(found: Int, supported: Int)
  /// A migration to this version failed; nothing was changed.
  case migrationFailed(version: Int, reason: String)
  /// The value of the key is not of the requested type.
  case undecodable(key: String, type: String, reason: String)
  /// The store's format cannot hold the value exactly.
  case unencodable(key: String, type: String, reason: String)
  /// The argument cannot be used, for the given reason.
  case invalid(String)
  /// The store cannot be accessed, for the given reason.
  case unavailable(String)
  /// The progress handler cancelled the operation before it was done.
  case cancelled
  /// A system call failed.
  case system(call: String, path: String, code: Int32)
}

/// A file that could not be parsed, with the position of the error.
public struct UnreadableFile: Hashable, Sendable {
  /// The file's path, after symbolic links.
  public let path: String
  /// The reason, as a clause.
  public let reason: String
  /// The offset in bytes from the beginning of the file.
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

extension KeyValueStoreError: CustomStringConvertible {
  /// The failure, and the remedy if there is one.
  public var description: String {
    switch self {
    case .unreadable(let file):
      """
      \(file.path) cannot be read at \(file.place): \(file.reason). Correct it there, or let the \
      store move it aside; until then, nothing is written to it.
      """
    case .empty(let path):
      """
      \(path) is empty: it is being written right now, or a crash cut it off. Restore its content, \
      or let the store move it aside.
      """
    case .notAFile(let path):
      "\(path) is not a file. Give the store the path of a file."
    case .tooLarge(let path, let limit):
      "\(path) has, or would have, more than \(limit) bytes. Keep large data in a file of its own."
    case .ownedByAnother(let path):
      "\(path) belongs to another user. Write it as that user, or give it to this one."
    case .busy(let path, let holder):
      """
      \(path) is locked by \(holder.map { "process \($0)" } ?? "another process"), which may be \
      stopped or hang. Continue it, or end it; changed values are kept until then.
      """
    case .newerVersion(let found, let supported):
      """
      The settings have version \(found), and this app supports version \(supported). Update the \
      app; until then, they are neither read nor written.
      """
    case .migrationFailed(let version, let reason):
      "The migration to version \(version) failed and changed nothing: \(reason)"
    case .undecodable(let key, let type, let reason):
      """
      The value of \(String(reflecting: key)) is not of type \(type): \(reason). Set it again, or \
      read it with the type that wrote it.
      """
    case .unencodable(let key, let type, let reason):
      "A value of type \(type) cannot be stored under \(String(reflecting: key)): \(reason)."
    case .invalid(let what):
      "\(what)."
    case .unavailable(let what):
      what
    case .cancelled:
      "It was cancelled before it finished. Start it again to continue."
    case .system(let call, let path, let code):
      "\(call) of \(path) failed: \(SystemError.advice(on: code, of: call))"
    }
  }
}

extension KeyValueStoreError {
  init(_ error: SystemError) {
    if error.call == .flock, error.code == ETIMEDOUT {
      self = .busy(path: error.path, holder: error.holder)
      return
    }
    self = .system(call: error.call.rawValue, path: error.path, code: error.code)
  }
}

extension KeyValueStoreError {
  /// Whether fewer changes may be written where these were not.
  var isOfSize: Bool {
    switch self {
    case .tooLarge: true
    case .system(_, _, let code): [ENOSPC, EDQUOT, EFBIG, ENOMEM].contains(code)
    default: false
    }
  }

  /// Returns the error for a child that was forked during an operation, which the child cannot
  /// finish: the lock is the parent's.
  static func forkedInside(_ what: String) -> KeyValueStoreError {
    .unavailable(
      "The process was forked inside of \(what), which changes nothing in the child. Call exec there."
    )
  }
}

extension UnreadableFile {
  fileprivate var place: String {
    if let line, let column { return "line \(line), column \(column)" }
    return "byte \(offset)"
  }
}
