// The result codes that ``KeychainError/osSecure(status:)`` carries, as the Security framework names
// them.

/// The store does not offer what was asked for.
@available(*, deprecated, message: "Use `unsupported` of `SecretStoreError`.")
public let errSecUnimplemented: OSStatus = -4
/// A system call failed.
@available(*, deprecated, message: "Use `system` of `SecretStoreError`.")
public let errSecIO: OSStatus = -36
/// The store cannot be reached or used.
@available(*, deprecated, message: "Use `unavailable` and its siblings of `SecretStoreError`.")
public let errSecNotAvailable: OSStatus = -25291
/// What the item needs was not proved.
@available(*, deprecated, message: "Use `denied` and its siblings of `SecretStoreError`.")
public let errSecAuthFailed: OSStatus = -25293
/// The store is locked.
@available(*, deprecated, message: "Use `locked` of `SecretStoreError`.")
public let errSecInteractionNotAllowed: OSStatus = -25308
/// The item is damaged, or sealed for another machine.
@available(*, deprecated, message: "Use `corrupted` or `otherDevice` of `SecretStoreError`.")
public let errSecDecode: OSStatus = -26275
