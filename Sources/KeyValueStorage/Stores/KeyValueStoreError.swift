import CLibrary
import Concurrency
public import FoundationEssentials
import StorageInternals
import ValueFormats

/// The reason why a store could not be read or written, or a value could not be encoded or decoded.
///
/// Only ``undecodable(_:)`` contains a part of a stored value: at most 40 characters of it, at most
/// 200 of the path to it, which may have keys of a dictionary, and at most 200 of the description
/// by the type's own code, which may have any part of the value.
public enum KeyValueStoreError: Error, Hashable, Sendable {
  /// The file is damaged, incomplete, or in another format; it is neither read nor written until it
  /// is repaired or moved aside.
  case unreadable(UnreadableFile)
  /// The file exists, but is empty.
  case empty(path: String)
  /// The path refers to something other than a regular file, such as a directory or a device.
  case notAFile(path: String)
  /// The file is, or would become, larger than the limit in bytes.
  case tooLarge(path: String, limit: Int)
  /// The owner of the file has no permission to write it.
  case readOnly(path: String)
  /// Another user owns the file, and writing it would change its owner.
  case ownedByAnother(path: String)
  /// Another process held the lock at `path` for longer than ``KeyValueStore/lockTimeout``;
  /// `holder` is the process, if the kernel reports it.
  ///
  /// Until the lock is free, later writes fail immediately.
  case busy(path: String, holder: Int32?)
  /// The settings have a newer version than this app supports.
  case newerVersion(found: Int, supported: Int)
  /// The migration to a version failed, and nothing changed.
  case migrationFailed(version: Int, reason: String)
  /// The value of a key does not have the requested type.
  case undecodable(UndecodableValue)
  /// No property of the store has a key of the file; see ``KeyValueStore/reportUnknownKeys()``.
  case unknownKey(UnknownKey)
  /// The store's format cannot represent the value exactly.
  case unencodable(key: String, type: String, reason: String)
  /// An argument is not valid; the description is one or more sentences.
  case invalid(String)
  /// The store cannot be accessed; the description is one or more sentences.
  case unavailable(String)
  /// The process is a forked child of one that has used this package, in which no store works.
  case forked
  /// The progress handler cancelled the operation before it was complete.
  case cancelled
  /// The directory at `path` could not be flushed, so that its last changes, which are in place,
  /// may not survive a power failure unless a later write succeeds.
  case uncertain(path: String, code: Int32)
  /// A system call failed.
  case system(call: String, path: String, code: Int32)
}

extension KeyValueStoreError: CustomStringConvertible, LocalizedError {
  /// A message that describes the failure and how to resolve it.
  public var description: String {
    switch self {
    case .unreadable(let file):
      """
      \(file.place.path.shown) cannot be read at \(file.place.position ?? "byte \(file.offset)"): \
      \(file.reason). Correct the file, or move it \
      aside with moveAsideUnreadableFile(); until then, the file is not written.
      """
    case .empty(let path):
      """
      \(path.shown) is empty: another program is writing it, or a crash truncated it. Restore its \
      content, or move it aside with moveAsideUnreadableFile().
      """
    case .notAFile(let path):
      "\(path.shown) is not a regular file. Create the store with the path of a file."
    case .tooLarge(let path, let limit):
      """
      \(path.shown) is, or would become, larger than \(limit) bytes. Store large data in a \
      separate file.
      """
    case .readOnly(let path):
      """
      \(path.shown) is read-only, even for its owner. Permit writing with chmod u+w, and try again.
      """
    case .ownedByAnother(let path):
      "Another user owns \(path.shown). Write it as that user, or change its owner."
    case .busy(let path, let holder):
      """
      \(path.shown) is locked by \(holder.map { "process \($0)" } ?? "another process"), which may \
      be stopped or not responding. Resume or end that process. Unsaved changes are kept until then.
      """
    case .newerVersion(let found, let supported):
      """
      The settings have version \(found), but this app only supports versions up to \(supported). \
      Update the app; until then, the settings are neither read nor written.
      """
    case .migrationFailed(let version, let reason):
      "The migration of the settings to version \(version) failed, and nothing changed: \(reason)"
    case .undecodable(let value): "\(value). Correct the value, or set it again."
    case .unknownKey(let key): "\(key)"
    case .unencodable(let key, let type, let reason):
      "A value of type \(type) cannot be stored under \(String(reflecting: key)): \(reason)."
    case .invalid(let message), .unavailable(let message): message
    case .forked: Fork.advice
    case .cancelled:
      "The operation was cancelled before it was complete. Start it again to continue."
    case .uncertain(let path, let code): SystemError.uncertainty(of: path.shown, code: code)
    case .system(let call, let path, let code):
      "\(call) of \(path.shown) failed: \(SystemError.advice(on: code, of: call))"
    }
  }

  /// The same text as ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension String {
  /// A path on one line, with at most as many characters as the kernel permits.
  fileprivate var shown: String { shown(atMost: 4096) }
}

extension KeyValueStoreError {
  init(_ error: SystemError) {
    if error.call == .flock, error.code == ETIMEDOUT {
      self = .busy(path: error.path, holder: error.holder)
    } else if error.isUncertain {
      self = .uncertain(path: error.path, code: error.code)
    } else {
      self = .system(call: error.call.rawValue, path: error.path, code: error.code)
    }
  }

  static func checkProcess() throws(KeyValueStoreError) {
    if Fork.isChild { throw .forked }
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

/// The reason why a kind of access fails; nil if it succeeds.
///
/// When the reason becomes nil, the default handler prints a reason that recurs later again.
@propertyWrapper
package struct ReportedError: Sendable {
  /// The reasons since the last success.
  private var errors: [KeyValueStoreError] = []

  package init() {}

  package var wrappedValue: KeyValueStoreError? {
    didSet {
      if let wrappedValue {
        errors.addFailure(wrappedValue)
      } else if !errors.isEmpty {
        KeyValueStore.didSucceed(after: errors)
        errors = []
      }
    }
  }
}

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
  /// The place of the error.
  public let place: FilePlace
  /// The reason as a clause, such as "duplicate key".
  public let reason: String
  /// The offset from the beginning of the file in bytes.
  public let offset: Int

  /// Creates a description of an unreadable file.
  public init(place: FilePlace, reason: String, offset: Int) {
    self.place = place
    self.reason = reason
    self.offset = offset
  }
}
