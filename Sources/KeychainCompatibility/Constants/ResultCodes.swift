// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, OneVariableDeclarationPerLine

// The result codes of keychain calls, with the names and values of the Security framework.

@available(*, deprecated, message: "A call throws a `SecretStoreError`; a missing item is nil.")
public let
  errSecSuccess: OSStatus = 0,
  errSecUnimplemented: OSStatus = -4,
  errSecDiskFull: OSStatus = -34,
  errSecIO: OSStatus = -36,
  errSecParam: OSStatus = -50,
  errSecAllocate: OSStatus = -108,
  errSecUserCanceled: OSStatus = -128,
  errSecBadReq: OSStatus = -909,
  errSecNotAvailable: OSStatus = -25291,
  errSecAuthFailed: OSStatus = -25293,
  errSecDuplicateItem: OSStatus = -25299,
  errSecItemNotFound: OSStatus = -25300,
  errSecInteractionNotAllowed: OSStatus = -25308,
  errSecDecode: OSStatus = -26275,
  errSecMissingEntitlement: OSStatus = -34018,
  errSecInvalidValue: OSStatus = -67694

/// The result code of a call, under its name in Apple's frameworks.
@available(*, deprecated, renamed: "Int32")
public typealias OSStatus = Int32
