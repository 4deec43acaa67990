import CLibrary
import Concurrency
import StorageInternals

/// An error of a store.
///
/// No case carries a secret.
public enum SecretStoreError: Error, Hashable, Sendable {
  /// The store is locked.
  case locked
  /// The passphrase opens none of the store's passphrase slots.
  case wrongPassphrase
  /// The named key file, credential or recovery code opens none of the store's slots.
  case wrongKey(String)
  /// The application password is not the one under which the item is sealed.
  case wrongApplicationPassword
  /// The person or the app gave up: no proof was given, or long work was abandoned.
  case cancelled
  /// The item exists and is intact, but may not be read, for the given reason.
  case denied(String)
  /// The vault or the item is sealed for another machine or another device key.
  case otherDevice(String)
  /// An item with the same identity exists.
  case duplicate
  /// The item was changed or removed after it was read.
  case conflict
  /// The store does not support the named feature.
  case unsupported(String)
  /// An argument exceeds the named limits.
  case invalid(String)
  /// The bytes of the item are not valid for the named type.
  case undecodable(String)
  /// The named object is damaged.
  case corrupted(String)
  /// The store's content is older than the last known state on this machine.
  case rolledBack(String)
  /// The store is missing, or is not the one that this machine knows.
  case replaced(String)
  /// The store was written by a newer version.
  case newerFormat(String)
  /// The permissions of a file or directory of the store are insecure, so it was not used.
  case insecure(path: String, reason: String)
  /// A C library is missing; the text names it and the packages that provide it.
  case missingLibrary(String)
  /// The store cannot be reached, for the given reason.
  case unavailable(String)
  /// A lock was not released in time: `path` is its file, and `holder` the process that holds it,
  /// if the kernel reports it.
  case busy(path: String, holder: Int32?)
  /// A system call failed.
  case system(call: String, path: String, code: Int32)
}

extension SecretStoreError: CustomStringConvertible {
  /// The error, and the remedy if there is one.
  ///
  /// It is a single line, in which control characters of the included names are replaced.
  public var description: String { sentences.harmless() }

  private var sentences: String {
    switch self {
    case .locked:
      "The vault is locked. Unlock it with its passphrase, or with another key that it has a slot for."
    case .wrongPassphrase:
      """
      The passphrase is wrong. Try again; nothing was changed. If it has accents, they may be encoded \
      in another way here than where it was set.
      """
    case .wrongKey(let what):
      "\(what) does not open the vault. Use the right one, or another key; nothing was changed."
    case .wrongApplicationPassword:
      "The application password is wrong. Try again; nothing was changed."
    case .cancelled:
      "It was cancelled before it finished. Start it again if needed."
    case .denied(let reason):
      "The item may not be read now: \(reason)."
    case .otherDevice(let what):
      """
      \(what) is sealed for another device. Open it on the machine that wrote it, with that machine's \
      device key.
      """
    case .duplicate:
      "An item with this identity exists already. Update that one, or choose another identity."
    case .conflict:
      "The item was changed or removed since it was read. Read it again, then decide."
    case .unsupported(let what):
      "This store does not offer \(what). Use a store that does, or ask for less."
    case .invalid(let what):
      "\(what)."
    case .undecodable(let what):
      "The item's bytes are not a value of type \(what). Read it with the type that wrote it."
    case .corrupted(let what):
      "\(what). Intact items stay readable: save them, or restore a backup."
    case .rolledBack(let what):
      """
      \(what). If you put an older copy back on purpose, accept it; otherwise restore the newest one.
      """
    case .replaced(let what):
      "\(what). If that was on purpose, accept it; otherwise restore the original."
    case .newerFormat(let what):
      "\(what) was written by a newer version of Locket. Update the app."
    case .insecure(let path, let reason):
      "\(path) \(reason)."
    case .missingLibrary(let what), .unavailable(let what):
      what
    case .busy(let path, let holder):
      """
      The lock \(path) was not free in time\(holder.map { ": process \($0) holds it" } ?? ""). \
      \(holder.map { "Continue or end process \($0)" } ?? "Wait for its holder"), and try again.
      """
    case .system(let call, let path, let code):
      "\(call) of \(path) failed: \(SystemError.advice(on: code, of: call))"
    }
  }
}

extension SecretStoreError {
  init(_ error: SystemError) {
    self =
      error.call == .flock && error.code == ETIMEDOUT
      ? .busy(path: error.path, holder: error.holder)
      : .system(call: error.call.rawValue, path: error.path, code: error.code)
  }
}

extension SecretStoreError {
  /// Returns the error for a child that tries to continue an operation of its parent.
  static func forkedInside(_ what: String) -> SecretStoreError {
    .unavailable("The process was forked inside of \(what), which continues only in the parent.")
  }

  /// Returns the error for an operation that needs threads; nil outside a forked child.
  static func needsThreads(_ what: String) -> SecretStoreError? {
    guard Fork.isChild else { return nil }
    return .unavailable(
      "\(what) needs threads, which a forked child does not have. Do it in a process of its own.")
  }
}
