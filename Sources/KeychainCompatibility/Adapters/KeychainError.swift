/// Why a ``KeychainAdapter`` has no value for a key.
@available(
  *, deprecated, message: "Use @GenericPassword, whose value is nil, and SecretStoreError."
)
public enum KeychainError: Error {
  /// There is no item.
  case itemNotFound
  /// The item is not JSON of the type that was asked for.
  case unexpectedData
  /// Another failure of the keychain; here it is a `SecretStoreError` that is thrown.
  case unhandledError(status: Int32)
}
