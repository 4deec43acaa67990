// The errors of 0.x under the name that version 2 has, too. They are no cases, so that a `switch` over
// those of version 2 stays complete.
@available(*, deprecated, message: "Use @GenericPassword, whose value is nil, and SecretStoreError.")
extension KeychainError {
  /// There is no item: 0.x's name of ``osSecureNoSuchItem``.
  public static var itemNotFound: KeychainError { .osSecureNoSuchItem }
  /// The item is not JSON of the type that was asked for: 0.x's name of ``generalDecodingFailure``.
  public static var unexpectedData: KeychainError { .generalDecodingFailure }
  /// Another failure of the keychain, of which a `SecretStoreError` is thrown here.
  public static func unhandledError(status: OSStatus) -> KeychainError { .osSecure(status: status) }

  /// Makes `catch KeychainError.itemNotFound` and the like catch what they say.
  public static func ~= (pattern: KeychainError, error: any Error) -> Bool {
    switch (pattern, error as? KeychainError) {
    case (.osSecureNoSuchItem, .osSecureNoSuchItem),
      (.generalDecodingFailure, .generalDecodingFailure):
      true
    case (.osSecure(let status), .osSecure(let other)): status == other
    default: false
    }
  }
}
