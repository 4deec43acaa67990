// The names of 0.x stand beside the cases that took their place, so that a `switch` over all cases of
// 2.x stays one.
@available(*, deprecated)
extension KeychainError {
  /// There is no item of the key.
  @available(*, deprecated, message: "Use `@GenericPassword`, whose value is nil.")
  public static var itemNotFound: KeychainError { .osSecureNoSuchItem }

  /// The item is not JSON of the type that was asked for.
  @available(*, deprecated, message: "Use `undecodable` of `SecretStoreError`.")
  public static var unexpectedData: KeychainError { .generalDecodingFailure }

  /// The keychain failed in another way; the adapters throw a `SecretStoreError` instead.
  @available(*, deprecated, message: "Use `SecretStoreError`.")
  public static func unhandledError(status: OSStatus) -> KeychainError {
    .osSecure(status: status)
  }

  /// Lets `catch` take the names of 0.x as patterns.
  @available(*, deprecated, message: "Use `SecretStoreError`.")
  public static func ~= (pattern: KeychainError, error: any Error) -> Bool {
    switch (pattern, error as? KeychainError) {
    case (.osSecureNoSuchItem, .osSecureNoSuchItem?): true
    case (.generalDecodingFailure, .generalDecodingFailure?): true
    case (.osSecure(let status), .osSecure(let other)?): status == other
    default: false
    }
  }
}
