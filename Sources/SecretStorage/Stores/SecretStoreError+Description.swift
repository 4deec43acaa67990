import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension SecretStoreError: CustomStringConvertible {
  /// What happened, and what to do about it where something can be done.
  ///
  /// It is on one line, and has no control character of the names that it mentions.
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
      "It was cancelled before it was done. Start it again when you want it."
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
      "\(what). What is intact stays readable: save it, or restore a backup."
    case .rolledBack(let what):
      """
      \(what). If you put an older copy back on purpose, accept it; otherwise restore the newest one.
      """
    case .replaced(let what):
      "\(what). If you put it there on purpose, accept it; otherwise restore the one that belongs there."
    case .newerFormat(let what):
      "\(what) was written by a newer version of Locket. Update the app."
    case .insecure(let path, let reason):
      "\(path) \(reason). Nothing was read from it or written to it."
    case .missingLibrary(let what), .unavailable(let what):
      what
    case .busy(let path, let holder):
      """
      The lock \(path) was not free in time\(holder.map { ": process \($0) holds it" } ?? ""). \
      \(holder.map { "Continue or end process \($0)" } ?? "Wait for its holder"), and try again.
      """
    case .system(let call, let path, let code):
      "\(call) of \(path) failed: \(SystemError.message(for: code)) (errno \(code))."
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
