import CLibrary
import StorageInternals

// `indirect` makes the absence of an error cheap to copy, which each get and set does.

/// The reason why a store could not be read or written, or a value could not be encoded or decoded.
///
/// No error contains a stored value.
public indirect enum KeyValueStoreError: Error, Hashable, Sendable {
  /// The file is damaged, incomplete, or in another format; it is neither read nor written until it
  /// is repaired or moved aside.
  case unreadable(UnreadableFile)
  /// The file exists, but is empty.
  case empty(path: String)
  /// The path refers to something other than a regular file, such as a directory or a device.
  case notAFile(path: String)
  /// The file, or the content of a store without files, is or would become larger than the limit in
  /// bytes.
  case tooLarge(path: String?, limit: Int)
  /// Another user owns the file, and writing it would change its owner.
  case ownedByAnother(path: String)
  /// Another process held the lock at `path` for longer than ``KeyValueStore/lockTimeout``;
  /// `holder` is the process, if the kernel reports it.
  ///
  /// Until the lock is free, later writes fail immediately. Changed properties keep their new
  /// values, and the write is retried.
  case busy(path: String, holder: Int32?)
  /// The settings of a store have a newer version than this app supports.
  case newerVersion(store: String, found: Int, supported: Int)
  /// The migration of a store to a version failed, and nothing changed.
  case migrationFailed(store: String, version: Int, reason: String)
  /// The value of a key does not have the requested type.
  case undecodable(UndecodableValue)
  /// The store's format cannot represent the value exactly.
  case unencodable(key: String, type: String, reason: String)
  /// An argument is not valid; the description is one or more sentences.
  case invalid(String)
  /// The store cannot be accessed; the description is one or more sentences.
  case unavailable(String)
  /// The app may not read or write the store; the description is one or more sentences, which name
  /// the missing permission.
  case denied(String)
  /// The store cannot be written, for example a file of another user or a mounted configuration, or
  /// a higher layer overrides the key; the description is one or more sentences.
  case readOnly(String)
  /// The outcome of a write is unknown, for example because a server's answer was lost; the
  /// description is one or more sentences.
  ///
  /// The change may have been made. The next access reads the store, which settles it. Changed
  /// properties keep their new values, and the write is retried.
  case uncertain(String)
  /// The progress handler cancelled the operation before it was complete.
  case cancelled
  /// A system call failed.
  case system(call: String, path: String, code: Int32)
}

extension KeyValueStoreError: CustomStringConvertible {
  /// A message that describes the failure and how to resolve it.
  public var description: String {
    switch self {
    case .unreadable(let file):
      """
      \(file.path) cannot be read at \(file.position): \(file.reason). Correct the file, or let \
      the store move it aside; until then, settings keep their values, and the file is not written.
      """
    case .empty(let path):
      """
      \(path) is empty: another program is writing it, or a crash truncated it. Restore its \
      content, or let the store move it aside.
      """
    case .notAFile(let path):
      "\(path) is not a regular file. Create the store with the path of a file."
    case .tooLarge(let path, let limit):
      """
      \(path ?? "The content of the store") is, or would become, larger than \(limit) bytes. Store \
      large data in a separate file.
      """
    case .ownedByAnother(let path):
      "Another user owns \(path). Write it as that user, or change its owner."
    case .busy(let path, let holder):
      """
      \(path) is locked by \(holder.map { "process \($0)" } ?? "another process"), which may be \
      stopped or not responding. Resume or end that process. Unsaved changes are kept until then.
      """
    case .newerVersion(let store, let found, let supported):
      """
      The settings of \(store) have version \(found), but this app only supports versions up to \
      \(supported). Update the app; until then, the settings are neither read nor written.
      """
    case .migrationFailed(let store, let version, let reason):
      """
      The migration of \(store) to version \(version) failed, and nothing changed: \(reason)
      """
    case .undecodable(let value):
      "\(value.summary). Correct it; until then, the setting keeps its last valid value or default."
    case .unencodable(let key, let type, let reason):
      "A value of type \(type) cannot be stored under \(String(reflecting: key)): \(reason)."
    case .invalid(let message), .unavailable(let message), .denied(let message),
      .readOnly(let message), .uncertain(let message):
      message
    case .cancelled:
      "The operation was cancelled before it was complete. Start it again to continue."
    case .system(let call, let path, let code):
      "\(call) of \(path) failed: \(SystemError.advice(on: code, of: call))"
    }
  }
}

extension KeyValueStoreError {
  init(_ error: SystemError) {
    if error.call == .flock, error.code == ETIMEDOUT {
      self = .busy(path: error.path, holder: error.holder)
    } else {
      self = .system(call: error.call.rawValue, path: error.path, code: error.code)
    }
  }

  /// Creates the error of a call that writes a file, its directory or its lock.
  init(_ error: SystemError, writing path: String) {
    let calls: [FileSystem.Call] = [.open, .mkdir, .rename, .renameat2, .link]
    let isDenied = [EACCES, EPERM].contains(error.code) && calls.contains(error.call)
    guard error.code == EROFS || isDenied else {
      self = KeyValueStoreError(error)
      return
    }
    self = .readOnly(
      """
      \(path) is read-only: \(error.call.rawValue) of \(error.path) failed: \
      \(SystemError.advice(on: error.code, of: error.call.rawValue)) Write it as a user with the \
      permission, or write the settings to another file.
      """)
  }

  /// Returns the error for an operation during which the process was forked.
  ///
  /// The child cannot finish the operation, because the parent holds the lock.
  static func forkedDuring(_ operation: String) -> KeyValueStoreError {
    .unavailable(
      """
      The process was forked during \(operation), which has no effect in the child. Call exec there.
      """)
  }

  /// Whether the stored content is invalid, so that reading it again gives the same error.
  var isOfContent: Bool {
    switch self {
    case .undecodable, .unreadable, .empty, .tooLarge, .notAFile: true
    default: false
    }
  }

  /// Whether a smaller write may succeed.
  var isCausedBySize: Bool {
    switch self {
    case .tooLarge: true
    case .system(_, _, let code): [ENOSPC, EDQUOT, EFBIG, ENOMEM].contains(code)
    default: false
    }
  }
}

/// Runs a closure, and converts a system error to a ``KeyValueStoreError``.
func convertingErrors<Result: ~Copyable>(
  _ body: () throws(SystemError) -> Result
) throws(KeyValueStoreError) -> Result {
  do {
    return try body()
  } catch {
    throw KeyValueStoreError(error)
  }
}

/// A file that could not be parsed, with the position of the error.
public struct UnreadableFile: Hashable, Sendable {
  /// The path of the file, with symbolic links resolved.
  public let path: String
  /// The reason as a clause, such as "duplicate key".
  public let reason: String
  /// The offset from the beginning of the file in bytes.
  public let offset: Int
  /// The line, from 1; nil in a binary file.
  public let line: Int?
  /// The column in code points, from 1; nil in a binary file.
  public let column: Int?

  /// Creates a description of an unreadable file.
  public init(path: String, reason: String, offset: Int, line: Int? = nil, column: Int? = nil) {
    self.path = path
    self.reason = reason
    self.offset = offset
    self.line = line
    self.column = column
  }

  /// The position in words, for messages.
  var position: String {
    if let line, let column { return "line \(line), column \(column)" }
    return "byte \(offset)"
  }
}
