import SecretStorage
import StorageInternals

extension MigrationError: CustomStringConvertible {
  /// What happened, and what to do about it where something can be done.
  public var description: String {
    switch self {
    case .malformed(let path, let reason):
      "\(path) is not what it was read as: \(reason). Nothing was migrated."
    case .damaged(let path, let reason):
      """
      \(path) is damaged, or part of it is encrypted under another passphrase: \(reason). Restore a \
      backup, or leave out what cannot be read.
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
      What was written of the source's \(place) is not what the store gives back. The source was kept; \
      check the store, then migrate again.
      """
    case .notRemovable(let path, let reason):
      "\(path) was not removed: \(reason)."
    case .cancelled:
      "It was cancelled before it was done. What was migrated stays; start it again to go on."
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
