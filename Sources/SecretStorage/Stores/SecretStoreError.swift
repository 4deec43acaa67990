import CLibrary
import Concurrency
public import FoundationEssentials
import StorageInternals

/// An error that a store throws.
///
/// No case contains a secret.
public enum SecretStoreError: Error, Hashable, Sendable {
  /// The store is locked; the string names the keys that open it.
  case locked(String = "one of its keys")
  /// The passphrase is wrong.
  case wrongPassphrase
  /// The named key file, credential or recovery code is wrong.
  case wrongKey(String)
  /// The application password is wrong.
  case wrongApplicationPassword
  /// The user or the app cancelled the operation.
  case cancelled
  /// The item exists and is intact, but may not be read.
  case denied(String)
  /// The vault or the item is encrypted with the device key of another machine.
  case otherDevice(String)
  /// An item with the same identity exists.
  case duplicate
  /// The item was changed or removed after it was read.
  case conflict
  /// The store does not support the named feature.
  case unsupported(String)
  /// An argument is invalid.
  case invalid(String)
  /// The bytes of the item are not valid for the named type.
  case undecodable(String)
  /// The named object is damaged.
  case corrupted(String)
  /// The store's content is older than the last state seen on this machine.
  case rolledBack(String)
  /// The store is missing, or is not the one last used on this machine.
  case replaced(String)
  /// The store was written by a newer version of Locket.
  case newerFormat(String)
  /// The owner or the permissions of a file or directory of the store are insecure.
  case insecure(path: String, reason: String)
  /// A C library is missing; the string names the library and the packages that contain it.
  case missingLibrary(String)
  /// The store is not available.
  case unavailable(String)
  /// The process is a forked child of one that has used this package, in which no store works.
  case forked
  /// The lock file at `path` was not released in time; `holder` is the process that holds it, if
  /// known.
  case busy(path: String, holder: Int32?)
  /// The directory at `path` could not be flushed, so a power failure may undo changes made in it.
  ///
  /// A write that throws this error and created the file may have been made. Until a flush
  /// succeeds, each later write to the file first tries to flush the directory, and makes no change
  /// if that fails.
  case uncertain(path: String, code: Int32)
  /// A system call failed.
  case system(call: String, path: String, code: Int32)
}

extension SecretStoreError: CustomStringConvertible, LocalizedError {
  /// A description of the error and, where possible, of the remedy.
  ///
  /// It is a single line, in which control characters are replaced.
  public var description: String { sentences.sanitized() }

  /// The same text as ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }

  private var sentences: String {
    switch self {
    case .locked(let keys): "The vault is locked. Unlock it with \(keys)."
    case .wrongPassphrase:
      """
      The passphrase is wrong. Try again; nothing was changed. If it contains accents, they may be \
      encoded differently here than where it was set.
      """
    case .wrongKey(let what):
      "\(what) does not open the vault. Use the correct one or another key; nothing was changed."
    case .wrongApplicationPassword:
      "The application password is wrong. Try again; nothing was changed."
    case .cancelled: "The operation was cancelled."
    case .denied(let reason): "The item may not be read now: \(reason)."
    case .otherDevice(let what):
      """
      \(what) is sealed for another device. Open it on the machine that wrote it, with that machine's \
      device key.
      """
    case .duplicate:
      "An item with this identity already exists. Update that item, or choose another identity."
    case .conflict:
      "The item has been changed or removed since it was read. Read it again, and then retry."
    case .unsupported(let what):
      "This store does not support \(what). Use a store that does, or require less."
    case .invalid(let what): "\(what)."
    case .undecodable(let what):
      "The item's bytes are not a value of type \(what). Read it with the type that wrote it."
    case .corrupted(let what):
      "\(what). Intact items stay readable: save them, or restore a backup."
    case .rolledBack(let what):
      """
      \(what). If you put an older copy back on purpose, accept it with acceptRollback() or `locket \
      secrets accept-rollback`; otherwise restore the newest one.
      """
    case .replaced(let what):
      """
      \(what). If that was on purpose, accept it with acceptReplacement() or `locket secrets \
      accept-replacement`; otherwise restore the original.
      """
    case .newerFormat(let what): "\(what) was written by a newer version of Locket. Update the app."
    case .insecure(let path, let reason): "\(path) \(reason)."
    case .missingLibrary(let what), .unavailable(let what): what
    case .forked: Fork.advice
    case .busy(let path, let holder):
      """
      The lock \(path) was not released in time\(holder.map { ": process \($0) holds it" } ?? ""). \
      \(holder.map { "Continue or end process \($0)" } ?? "Wait for its holder"), and try again.
      """
    case .uncertain(let path, let code): SystemError.uncertainty(of: path, code: code)
    case .system(let call, let path, let code):
      "\(call) of \(path) failed: \(SystemError.advice(on: code, of: call))"
    }
  }
}

extension SecretStoreError {
  init(_ error: SystemError) {
    self =
      if error.call == .flock, error.code == ETIMEDOUT {
        .busy(path: error.path, holder: error.holder)
      } else if error.isUncertain {
        .uncertain(path: error.path, code: error.code)
      } else {
        .system(call: error.call.rawValue, path: error.path, code: error.code)
      }
  }

  package static func checkProcess() throws(SecretStoreError) {
    if Fork.isChild { throw .forked }
  }
}

@discardableResult
func mapErrors<Result: ~Copyable>(
  _ call: @autoclosure () throws(SystemError) -> Result
) throws(SecretStoreError) -> Result {
  do {
    return try call()
  } catch {
    throw SecretStoreError(error)
  }
}
