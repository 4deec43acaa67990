import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension KeyValueStoreError: CustomStringConvertible {
  /// What happened, and what to do about it where something can be done.
  public var description: String {
    switch self {
    case .unreadable(let file):
      """
      \(file.path) cannot be read at \(file.place): \(file.reason). Mend it there, or have the store \
      move it aside; until then nothing is written to it.
      """
    case .empty(let path):
      """
      \(path) is empty: it is just being written, or was cut off by a crash. Put its content back, or \
      have the store move it aside.
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
      stopped or hang. Let it go on, or end it; values that were set are kept until then.
      """
    case .newerVersion(let found, let supported):
      """
      The settings are of version \(found), this app knows version \(supported). Update the app; \
      until then nothing is read from them or written to them.
      """
    case .migrationFailed(let version, let reason):
      "The migration to version \(version) failed and changed nothing: \(reason)"
    case .undecodable(let key, let type, let reason):
      """
      The value of \(String(reflecting: key)) is not of type \(type): \(reason). Set it anew, or read \
      it as the type that it was written as.
      """
    case .unencodable(let key, let type, let reason):
      "A value of type \(type) cannot be stored under \(String(reflecting: key)): \(reason)."
    case .invalid(let what):
      "\(what)."
    case .unavailable(let what):
      what
    case .cancelled:
      "It was cancelled before it was done. Start it again to go on."
    case .system(let call, let path, let code):
      "\(call) of \(path) failed: \(SystemError.message(for: code)) (errno \(code))."
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
  /// A child that was forked in the middle of something cannot go on with it: the lock is the
  /// parent's.
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
