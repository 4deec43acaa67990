import SecretStorage
import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A failure in the words of the store and in the older ones.
@available(*, deprecated)
struct KeychainFailure: Error {
  let cause: SecretStoreError
  let error: KeychainError

  init(_ cause: SecretStoreError) {
    self.cause = cause
    error = KeychainError(cause)
  }

  init(accessControl cause: SecretStoreError) {
    self.cause = cause
    error = .accessControllError(status: cause)
  }

  init(encoding error: ValueCodingError) {
    // The sentence gets its period from the error that carries it.
    cause = .invalid(String(error.description.dropLast()))
    self.error = .generalEncodingFailure
  }

  /// - Parameter type: What the bytes were to be.
  init(decoding type: Any.Type) {
    cause = .undecodable("\(type)")
    error = .generalDecodingFailure
  }
}

@available(*, deprecated)
extension KeychainError {
  fileprivate init(_ error: SecretStoreError) {
    switch error {
    case .locked:
      self = .osSecure(status: errSecInteractionNotAllowed)
    case .wrongPassphrase, .wrongKey, .wrongApplicationPassword, .denied:
      self = .osSecure(status: errSecAuthFailed)
    case .cancelled:
      self = .osSecureUserCancelledAuthentication
    case .duplicate, .conflict:
      self = .osSecureDuplicitItem
    case .unsupported:
      self = .osSecure(status: errSecUnimplemented)
    case .invalid:
      self = .osSucureInvalidParameter
    case .undecodable:
      self = .generalDecodingFailure
    case .otherDevice, .corrupted:
      self = .osSecure(status: errSecDecode)
    case .rolledBack, .replaced, .newerFormat, .insecure, .missingLibrary, .unavailable, .busy:
      self = .osSecure(status: errSecNotAvailable)
    case .system(_, _, ENOSPC), .system(_, _, EDQUOT):
      self = .osSecureDiskFull
    case .system:
      self = .osSecure(status: errSecIO)
    }
  }
}
