public import FoundationEssentials

/// Why a password could not be read or written.
@available(*, deprecated, message: "Use `SecretStoreError`.")
public enum KeychainError: Error {
  /// The store's answer had an unexpected form; no store of Locket gives such a one.
  case unexpectedFormat
  /// The value has no stored form.
  case generalEncodingFailure
  /// The stored bytes are not a value of the property's type.
  case generalDecodingFailure
  /// The access control was refused for an unknown reason; it never is.
  case accessControllErrorUnknown
  /// The access control makes no sense or the store cannot honour it, as the error says.
  case accessControllError(status: any Error)
  /// The store failed in another way; the code is one of the constants `errSec…` of this module.
  case osSecure(status: OSStatus)
  /// An item with the same identity exists, or the item was changed meanwhile.
  case osSecureDuplicitItem
  /// There is no such item; loading and deleting do not throw it.
  case osSecureNoSuchItem
  /// The disk, or the quota of the user, is full.
  case osSecureDiskFull
  /// What was given is outside of the limits of the store.
  case osSucureInvalidParameter
  /// The request made no sense; no store of Locket says so.
  case osSecureBadRequest
  /// The person who was asked gave up.
  case osSecureUserCancelledAuthentication
  /// The app lacks an entitlement, of which there are none here.
  case osSecureMissingEtitlementForThisFeature
  /// An attribute has a value that the store does not take.
  case osSecureInvalidValue
}

@available(*, deprecated)
extension KeychainError: CustomStringConvertible {
  /// What happened, and what to do about it where something can be done.
  public var description: String {
    switch self {
    case .unexpectedFormat, .accessControllErrorUnknown, .osSecureBadRequest,
      .osSecureMissingEtitlementForThisFeature:
      "The store failed in a way that it did not explain."
    case .generalEncodingFailure:
      "The value has no stored form. Store a type that encodes itself as numbers, text, data or dates."
    case .generalDecodingFailure:
      "The item's bytes are not a value of the property's type. Read it with the type that wrote it."
    case .accessControllError(let error):
      "The access control cannot be had. \(error)"
    case .osSecure(let status):
      "The store failed with status \(status). The password's `storeError` says why."
    case .osSecureDuplicitItem:
      "An item with this identity exists already, or was changed meanwhile. Load it, then decide."
    case .osSecureNoSuchItem:
      "There is no such item."
    case .osSecureDiskFull:
      "The disk is full. Make room, then save again."
    case .osSucureInvalidParameter, .osSecureInvalidValue:
      "What was given is outside of the store's limits. The password's `storeError` says which."
    case .osSecureUserCancelledAuthentication:
      "The person who was asked gave up. Ask again when it is wanted."
    }
  }
}

@available(*, deprecated)
extension KeychainError: LocalizedError {
  /// What ``description`` says, which is then the `localizedDescription` as well.
  public var errorDescription: String? { description }
}
