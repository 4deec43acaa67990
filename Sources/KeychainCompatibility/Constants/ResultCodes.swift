// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The result codes of keychain calls, with the names and values of the Security framework.

@available(*, deprecated, message: "A call that fails throws a `SecretStoreError`.")
public let errSecSuccess: OSStatus = 0
@available(*, deprecated, message: "Use `unsupported` of `SecretStoreError`.")
public let errSecUnimplemented: OSStatus = -4
@available(*, deprecated, message: "Use `system` of `SecretStoreError`.")
public let errSecDiskFull: OSStatus = -34
@available(*, deprecated, message: "Use `system` of `SecretStoreError`.")
public let errSecIO: OSStatus = -36
@available(*, deprecated, message: "Use `invalid` of `SecretStoreError`.")
public let errSecParam: OSStatus = -50
@available(*, deprecated, message: "Use `unavailable` of `SecretStoreError`.")
public let errSecAllocate: OSStatus = -108
@available(*, deprecated, message: "Use `cancelled` of `SecretStoreError`.")
public let errSecUserCanceled: OSStatus = -128
@available(*, deprecated, message: "Use `invalid` of `SecretStoreError`.")
public let errSecBadReq: OSStatus = -909
@available(*, deprecated, message: "Use `unavailable` or a similar case of `SecretStoreError`.")
public let errSecNotAvailable: OSStatus = -25291
@available(*, deprecated, message: "Use `denied` or a similar case of `SecretStoreError`.")
public let errSecAuthFailed: OSStatus = -25293
@available(*, deprecated, message: "Use `duplicate` of `SecretStoreError`.")
public let errSecDuplicateItem: OSStatus = -25299
@available(*, deprecated, message: "A missing item is nil, and removing it succeeds.")
public let errSecItemNotFound: OSStatus = -25300
@available(*, deprecated, message: "Use `locked` of `SecretStoreError`.")
public let errSecInteractionNotAllowed: OSStatus = -25308
@available(*, deprecated, message: "Use `corrupted` or `otherDevice` of `SecretStoreError`.")
public let errSecDecode: OSStatus = -26275
@available(*, deprecated, message: "There are no entitlements on this platform.")
public let errSecMissingEntitlement: OSStatus = -34018
@available(*, deprecated, message: "Use `invalid` of `SecretStoreError`.")
public let errSecInvalidValue: OSStatus = -67694

/// The result code of a call, under its name in Apple's frameworks.
@available(*, deprecated, renamed: "Int32")
public typealias OSStatus = Int32
