/// The result of the last access to a password.
public enum PasswordStatus: Hashable, Sendable {
  /// There is an item, and its value is known.
  case value
  /// There is no item, as a complete search has shown.
  case absent
  /// The store is locked, so it is unknown whether there is an item.
  case locked
  /// The item exists, but may not be read now.
  case denied
  /// The store failed; the text is the description of the error.
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
