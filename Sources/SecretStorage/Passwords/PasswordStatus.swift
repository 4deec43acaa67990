/// How the last access to a password went.
public enum PasswordStatus: Hashable, Sendable {
  /// There is an item, and its value is known.
  case value
  /// A complete search of an unlocked store found no item.
  case absent
  /// The store is locked: whether there is an item, or what is in it, cannot be said now.
  case locked
  /// The item is there, but may not be read now.
  case denied
  /// The store could not do what was asked, for the reason given.
  case unavailable(String)
  /// The item is damaged, or is no value of the password's type.
  case corrupted
}

extension PasswordStatus {
  init(_ error: SecretStoreError) {
    self =
      switch error {
      case .locked, .wrongPassphrase, .wrongKey: .locked
      case .denied, .cancelled, .wrongApplicationPassword: .denied
      case .undecodable, .corrupted: .corrupted
      default: .unavailable(error.description)
      }
  }
}
