// When an item can be read, as the Security framework names it; each is the text that keychains
// store.

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `Accessibility.whenUnlocked`.")
public let kSecAttrAccessibleWhenUnlocked = Accessibility.whenUnlocked.keychainValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `Accessibility.afterFirstUnlock`.")
public let kSecAttrAccessibleAfterFirstUnlock = Accessibility.afterFirstUnlock.keychainValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `Accessibility.always`.")
public let kSecAttrAccessibleAlways = Accessibility.always.keychainValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `Accessibility.whenPasscodeSetThisDeviceOnly`.")
public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly = Accessibility
  .whenPasscodeSetThisDeviceOnly.keychainValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `Accessibility.whenUnlockedThisDeviceOnly`.")
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly = Accessibility.whenUnlockedThisDeviceOnly
  .keychainValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `Accessibility.afterFirstUnlockThisDeviceOnly`.")
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = Accessibility
  .afterFirstUnlockThisDeviceOnly.keychainValue
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(*, deprecated, message: "Use `Accessibility.alwaysThisDeviceOnly`.")
public let kSecAttrAccessibleAlwaysThisDeviceOnly = Accessibility.alwaysThisDeviceOnly.keychainValue
