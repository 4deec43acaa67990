// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CLibrary
public import FoundationEssentials
import SecretStorage
import ValueFormats

/// An error in reading or writing a password, as its ``description`` states.
///
/// The misspelled names are those of the original package. Locket never throws `unexpectedFormat`,
/// `loadSucceededWithoutData`, `accessControllErrorUnknown`, `osSecureBadRequest` and
/// `osSecureMissingEtitlementForThisFeature`; loading and deleting do not throw
/// `osSecureNoSuchItem`. The status of `osSecure` is one of the constants `errSec…`.
@available(*, deprecated, message: "Use `SecretStoreError`.")
public enum KeychainError: Error {
  case unexpectedFormat
  case generalEncodingFailure
  case generalDecodingFailure
  case loadSucceededWithoutData
  case accessControllErrorUnknown
  case accessControllError(status: any Error)
  case osSecure(status: OSStatus)
  case osSecureDuplicitItem
  case osSecureNoSuchItem
  case osSecureDiskFull
  case osSucureInvalidParameter
  case osSecureBadRequest
  case osSecureUserCancelledAuthentication
  case osSecureMissingEtitlementForThisFeature
  case osSecureInvalidValue
  /// The name of ``osSecure(status:)`` in 0.2, which is never thrown and which a `switch` omits.
  @available(*, unavailable, renamed: "osSecure(status:)")
  case unhandledError(status: OSStatus)
}

@available(*, deprecated)
extension KeychainError: CustomStringConvertible, LocalizedError {
  /// The problem and, where possible, its solution.
  public var description: String {
    switch self {
    case .unexpectedFormat, .loadSucceededWithoutData, .accessControllErrorUnknown,
      .osSecureBadRequest, .osSecureMissingEtitlementForThisFeature:
      "The store failed for an unknown reason."
    case .generalEncodingFailure:
      "The value cannot be encoded. Use a type that consists of numbers, strings, data and dates."
    case .generalDecodingFailure:
      "The item's bytes are not a value of the property's type. Use the type it was saved with."
    case .accessControllError(let error): "The access control is not available. \(error)"
    case .osSecure(let status):
      "The store failed with status \(status). The password's `storeError` contains the reason."
    case .osSecureDuplicitItem:
      "An item with this identity already exists, or was changed by another process. Load it first."
    case .osSecureNoSuchItem: "There is no such item."
    case .osSecureDiskFull: "The disk is full. Free some space, then save again."
    case .osSucureInvalidParameter, .osSecureInvalidValue:
      """
      The value or an attribute exceeds a limit of the store. The password's `storeError` contains \
      the reason.
      """
    case .osSecureUserCancelledAuthentication: "Authentication was cancelled. Try again."
    }
  }

  /// The same text as ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}

/// A failure, as both the store's error and the older error that is thrown.
@available(*, deprecated)
struct KeychainFailure: Error {
  let cause: SecretStoreError
  let reported: KeychainError

  init(_ error: any Error) {
    cause = error as? SecretStoreError ?? .unavailable("\(error)")
    reported = KeychainError(cause)
  }

  init(accessControl error: any Error) {
    cause = KeychainFailure(error).cause
    reported = .accessControllError(status: cause)
  }

  init(encoding error: ValueCodingError) {
    cause = .invalid(error.encodingFailure)
    reported = .generalEncodingFailure
  }
}

@available(*, deprecated)
extension KeychainError {
  fileprivate init(_ error: SecretStoreError) {
    self =
      switch error {
      case .locked: .osSecure(status: errSecInteractionNotAllowed)
      case .wrongPassphrase, .wrongKey, .wrongApplicationPassword, .denied:
        .osSecure(status: errSecAuthFailed)
      case .cancelled: .osSecureUserCancelledAuthentication
      case .duplicate, .conflict: .osSecureDuplicitItem
      case .unsupported: .osSecure(status: errSecUnimplemented)
      case .invalid: .osSucureInvalidParameter
      case .undecodable: .generalDecodingFailure
      case .otherDevice, .corrupted: .osSecure(status: errSecDecode)
      case .rolledBack, .replaced, .newerFormat, .insecure, .missingLibrary, .unavailable, .busy,
        .forked:
        .osSecure(status: errSecNotAvailable)
      case .system(_, _, ENOSPC), .system(_, _, EDQUOT): .osSecureDiskFull
      case .system, .uncertain: .osSecure(status: errSecIO)
      }
  }
}

// The names of 0.x are static members, so that a `switch` over all cases of 2.x stays exhaustive.
@available(*, deprecated)
extension KeychainError {
  /// The key has no item.
  @available(*, deprecated, message: "Use `@GenericPassword`, whose value is nil.")
  public static var itemNotFound: KeychainError { .osSecureNoSuchItem }

  /// The item is not JSON of the requested type.
  @available(*, deprecated, message: "Use `undecodable` of `SecretStoreError`.")
  public static var unexpectedData: KeychainError { .generalDecodingFailure }

  /// Returns the error for a status; the adapters throw a `SecretStoreError` instead.
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
