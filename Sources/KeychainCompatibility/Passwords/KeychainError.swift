import CLibrary
public import FoundationEssentials
import SecretStorage
import ValueFormats

/// A reason why a password could not be read or written.
@available(*, deprecated, message: "Use `SecretStoreError`.")
public enum KeychainError: Error {
  /// The store's answer had an unexpected form; stores of Locket never return one.
  case unexpectedFormat
  /// The value cannot be encoded.
  case generalEncodingFailure
  /// The stored bytes are not a value of the property's type.
  case generalDecodingFailure
  /// An item has no data; stores of Locket never report it.
  case loadSucceededWithoutData
  /// The access control was refused for an unknown reason; never thrown.
  case accessControllErrorUnknown
  /// The access control makes no sense or is not supported by the store, as the error says.
  case accessControllError(status: any Error)
  /// The store failed in another way; the code is one of the constants `errSec…` of this module.
  case osSecure(status: OSStatus)
  /// An item with the same identity exists, or the item was changed meanwhile.
  case osSecureDuplicitItem
  /// There is no such item; loading and deleting do not throw it.
  case osSecureNoSuchItem
  /// The disk, or the quota of the user, is full.
  case osSecureDiskFull
  /// An argument is outside the limits of the store.
  case osSucureInvalidParameter
  /// The request made no sense; stores of Locket never report it.
  case osSecureBadRequest
  /// The user cancelled the authentication.
  case osSecureUserCancelledAuthentication
  /// The app lacks an entitlement; there are none on this platform.
  case osSecureMissingEtitlementForThisFeature
  /// An attribute has a value that the store does not accept.
  case osSecureInvalidValue
  /// The pattern of 0.2 for ``osSecure(status:)``; never thrown, and no case of a `switch`.
  @available(*, unavailable, renamed: "osSecure(status:)")
  case unhandledError(status: OSStatus)
}

@available(*, deprecated)
extension KeychainError: CustomStringConvertible {
  /// The problem and, where possible, its solution.
  public var description: String {
    switch self {
    case .unexpectedFormat, .loadSucceededWithoutData, .accessControllErrorUnknown,
      .osSecureBadRequest,
      .osSecureMissingEtitlementForThisFeature:
      "The store failed in a way that it did not explain."
    case .generalEncodingFailure:
      "The value has no stored form. Store a type that encodes itself as numbers, text, data or dates."
    case .generalDecodingFailure:
      "The item's bytes are not a value of the property's type. Read it with the type that wrote it."
    case .accessControllError(let error):
      "The access control is not available. \(error)"
    case .osSecure(let status):
      "The store failed with status \(status). The password's `storeError` says why."
    case .osSecureDuplicitItem:
      "An item with this identity exists already, or was changed meanwhile. Load it, then decide."
    case .osSecureNoSuchItem:
      "There is no such item."
    case .osSecureDiskFull:
      "The disk is full. Make room, then save again."
    case .osSucureInvalidParameter, .osSecureInvalidValue:
      "The value or an attribute is outside of the store's limits. The password's `storeError` says which."
    case .osSecureUserCancelledAuthentication:
      "The authentication was cancelled. Ask again if needed."
    }
  }
}

@available(*, deprecated)
extension KeychainError: LocalizedError {
  /// The same text as ``description``, so that `localizedDescription` shows it.
  public var errorDescription: String? { description }
}

/// A failure as an error of the store and as an older one.
@available(*, deprecated)
struct KeychainFailure: Error {
  let cause: SecretStoreError
  let error: KeychainError

  /// - Parameter error: The error of a password, a `SecretStoreError`.
  init(_ error: any Error) {
    cause = error as? SecretStoreError ?? .unavailable("\(error)")
    self.error = KeychainError(cause)
  }

  init(accessControl error: any Error) {
    cause = KeychainFailure(error).cause
    self.error = .accessControllError(status: cause)
  }

  init(encoding error: ValueCodingError) {
    // The error that contains the sentence adds the period.
    cause = .invalid(String(error.description.dropLast()))
    self.error = .generalEncodingFailure
  }

  /// - Parameter type: The expected type.
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

// The names of 0.x are static properties beside the newer cases, so that a `switch` over all cases
// of 2.x remains exhaustive.
@available(*, deprecated)
extension KeychainError {
  /// The key has no item.
  @available(*, deprecated, message: "Use `@GenericPassword`, whose value is nil.")
  public static var itemNotFound: KeychainError { .osSecureNoSuchItem }

  /// The item is not JSON of the requested type.
  @available(*, deprecated, message: "Use `undecodable` of `SecretStoreError`.")
  public static var unexpectedData: KeychainError { .generalDecodingFailure }

  /// Returns the error of another failure; the adapters throw a `SecretStoreError` instead.
  @available(*, deprecated, message: "Use `SecretStoreError`.")
  public static func unhandledError(status: some BinaryInteger) -> KeychainError {
    .osSecure(status: OSStatus(truncatingIfNeeded: status))
  }

  /// Allows `catch` to use the names of 0.x as patterns.
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
