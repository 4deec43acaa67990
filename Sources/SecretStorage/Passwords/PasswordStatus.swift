/// The result of the last access to a password.
public enum PasswordStatus: Hashable, Sendable {
  /// There is an item, and its value is known.
  case value
  /// A complete search of an unlocked store found no item.
  case absent
  /// The store is locked, so it is unknown whether there is an item.
  case locked
  /// The item exists, but may not be read now.
  case denied
  /// The store failed, for the given reason.
  case unavailable(String)
  /// The item is damaged, or its value is not valid for the password's type.
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
