public import SecretStorage
import StorageInternals

/// An error of a migration.
///
/// No case carries a secret. The source is unchanged after any error. Reading changes nothing;
/// after an error of writing, the written secrets stay, and a new migration continues from there.
public enum MigrationError: Error, Hashable, Sendable {
  /// The file does not have the expected format.
  case malformed(path: String, reason: String)
  /// A part of the file is damaged or encrypted with another passphrase.
  case damaged(path: String, reason: String)
  /// The passphrase does not open the file.
  case wrongPassphrase(path: String)
  /// The file uses an unsupported feature or exceeds a named limit.
  case unsupported(path: String, reason: String)
  /// An argument exceeds the named limits.
  case invalid(String)
  /// A C library is missing; the text names it and the packages that provide it.
  case missingLibrary(String)
  /// A library failed, for the given reason.
  case unavailable(String)
  /// The store returned a secret that differs from the written one.
  case notReadBack(place: String)
  /// The source cannot be removed, for the given reason.
  case notRemovable(path: String, reason: String)
  /// The progress handler cancelled the work.
  case cancelled
  /// The store failed.
  case store(SecretStoreError)
  /// A system call failed.
  case system(call: String, path: String, code: Int32)
}

extension MigrationError: CustomStringConvertible {
  /// The error, and the remedy if there is one.
  public var description: String {
    switch self {
    case .malformed(let path, let reason):
      "\(path) does not have the expected format: \(reason). Nothing was migrated."
    case .damaged(let path, let reason):
      """
      \(path) is damaged, or part of it is encrypted under another passphrase: \(reason). Restore a \
      backup, or leave out the unreadable secrets.
      """
    case .wrongPassphrase(let path):
      "The passphrase does not open \(path). Try again; nothing was changed."
    case .unsupported(let path, let reason):
      "\(path) cannot be migrated: \(reason). Nothing was migrated."
    case .invalid(let what):
      "\(what)."
    case .missingLibrary(let what), .unavailable(let what):
      what
    case .notReadBack(let place):
      """
      The store gives back another value than was written for the source's \(place). The source was \
      kept; check the store, then migrate again.
      """
    case .notRemovable(let path, let reason):
      "\(path) was not removed: \(reason)."
    case .cancelled:
      "It was cancelled before it finished. Migrated data stays; start it again to continue."
    case .store(let error):
      error.description
    case .system(let call, let path, let code):
      "\(call) of \(path) failed: \(SystemError.message(for: code)) (errno \(code))."
    }
  }
}

extension MigrationError {
  init(_ error: SystemError) {
    self = .system(call: error.call.rawValue, path: error.path, code: error.code)
  }
}

/// The outcomes, or expected outcomes, of a migration.
public struct MigrationReport: Hashable, Sendable {
  /// A secret of the source.
  public struct Entry: Hashable, Sendable {
    /// The position in the source, such as `line 3`.
    public let place: String
    /// The identity in the store.
    public let identity: ItemIdentity
    /// The outcome.
    public let outcome: ImportReport.Outcome
  }

  /// The readable secrets of the source, in its order.
  public internal(set) var entries: [Entry] = []
  /// The unreadable secrets, which were skipped.
  public internal(set) var unreadable: [ForeignSecrets.Unreadable] = []
  /// Whether the source was removed.
  public internal(set) var isSourceRemoved = false

  /// Returns the identities of the secrets with an outcome, in the source's order.
  public func identities(_ outcome: ImportReport.Outcome) -> [ItemIdentity] {
    entries.filter { $0.outcome == outcome }.map(\.identity)
  }
}
