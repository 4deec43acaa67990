public import FoundationEssentials
public import SecretStorage
import StorageInternals

/// An error that occurs during a migration, and that contains no secret.
///
/// A failed migration does not change the source. Secrets that were already written stay in the
/// store, and a new migration adds the others.
public enum MigrationError: Error, Hashable, Sendable {
  /// The file does not have the expected format.
  case malformed(path: String, reason: String)
  /// A part of the file is damaged, or encrypted with another passphrase.
  case damaged(path: String, reason: String)
  /// The passphrase is wrong.
  case wrongPassphrase(path: String)
  /// The file uses an unsupported feature or exceeds a limit.
  case unsupported(path: String, reason: String)
  /// An argument is invalid.
  case invalid(String)
  /// A C library is missing; the string names the library and the packages that contain it.
  case missingLibrary(String)
  /// A library failed.
  case unavailable(String)
  /// The store returned a secret that differs from the written one.
  case notReadBack(position: String)
  /// The source cannot be removed.
  case notRemovable(path: String, reason: String)
  /// The progress closure cancelled the migration.
  case cancelled
  /// The store failed.
  case store(SecretStoreError)
  /// A system call failed.
  case system(call: String, path: String, code: Int32)
}

extension MigrationError: CustomStringConvertible, LocalizedError {
  /// A description of the error and, where possible, of the remedy.
  public var description: String {
    switch self {
    case .malformed(let path, let reason):
      "\(path) does not have the expected format: \(reason). Nothing was migrated."
    case .damaged(let path, let reason):
      """
      \(path) is damaged, or part of it is encrypted with another passphrase: \(reason). Restore a \
      backup, or skip the unreadable secrets with skippingUnreadable or `--skip-unreadable`.
      """
    case .wrongPassphrase(let path):
      "The passphrase for \(path) is wrong. Try again; nothing was changed."
    case .unsupported(let path, let reason):
      "\(path) cannot be migrated: \(reason). Nothing was migrated."
    case .invalid(let reason): "\(reason)."
    case .missingLibrary(let reason), .unavailable(let reason): reason
    case .notReadBack(let position):
      """
      The value that the store returned for \(position) of the source differs from the one \
      written. The source was not removed. Check the store, then migrate again.
      """
    case .notRemovable(let path, let reason): "\(path) was not removed: \(reason)."
    case .cancelled:
      "The operation was cancelled. Migrated secrets stay in the store. Start it again to continue."
    case .store(let error): error.description
    case .system(let call, let path, let code):
      "\(call) of \(path) failed: \(SystemError.advice(on: code, of: call))"
    }
  }

  /// The same text as ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}

extension CryptoLibrary {
  /// Calls a closure with the library, and converts its error.
  static func use<Result>(
    _ body: (CryptoLibrary) throws(SecretStoreError) -> Result
  ) throws(MigrationError) -> Result {
    do throws(SecretStoreError) {
      return try body(loaded)
    } catch {
      if case .missingLibrary(let reason) = error { throw .missingLibrary(reason) }
      throw .unavailable("\(error)")
    }
  }
}
