/// The result of the last access to a password.
public enum PasswordStatus: Hashable, Sendable {
  /// There is an item with a valid value.
  case value
  /// A complete search found no item.
  case absent
  /// The store is locked, so it is unknown whether there is an item.
  case locked
  /// The item exists, but may not be read now.
  case denied
  /// The store failed; the string is the description of the error.
  case unavailable(String)
  /// The item is damaged, or its value is not valid for the password's type.
  case corrupted
  /// The process is a forked child of one that has used this package, in which no store works.
  case forked
}

extension PasswordStatus {
  init(_ error: SecretStoreError) {
    self =
      switch error {
      case .locked, .wrongPassphrase, .wrongKey: .locked
      case .denied, .cancelled, .wrongApplicationPassword: .denied
      case .undecodable, .corrupted: .corrupted
      case .forked: .forked
      default: .unavailable(error.description)
      }
  }
}
