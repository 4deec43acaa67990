// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import SecretStorage

// The accessibility of items, with the names of the Security framework and the values that
// keychains store.

@available(*, deprecated, message: "Use `Accessibility.whenUnlocked`.")
public let kSecAttrAccessibleWhenUnlocked = Accessibility.whenUnlocked.keychainValue
@available(*, deprecated, message: "Use `Accessibility.afterFirstUnlock`.")
public let kSecAttrAccessibleAfterFirstUnlock = Accessibility.afterFirstUnlock.keychainValue
@available(*, deprecated, message: "Use `Accessibility.always`.")
public let kSecAttrAccessibleAlways = Accessibility.always.keychainValue
@available(*, deprecated, message: "Use `Accessibility.whenPasscodeSetThisDeviceOnly`.")
public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly = Accessibility
  .whenPasscodeSetThisDeviceOnly.keychainValue
@available(*, deprecated, message: "Use `Accessibility.whenUnlockedThisDeviceOnly`.")
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly = Accessibility.whenUnlockedThisDeviceOnly
  .keychainValue
@available(*, deprecated, message: "Use `Accessibility.afterFirstUnlockThisDeviceOnly`.")
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = Accessibility
  .afterFirstUnlockThisDeviceOnly.keychainValue
@available(*, deprecated, message: "Use `Accessibility.alwaysThisDeviceOnly`.")
public let kSecAttrAccessibleAlwaysThisDeviceOnly = Accessibility.alwaysThisDeviceOnly.keychainValue

/// The accessibility of an item, as an enumeration.
@available(*, deprecated, message: "Use `Accessibility`.")
public enum AccesibleOption: CFString, CaseIterable, Sendable {
  /// While the store is unlocked, if it has a passphrase, on this machine.
  case whenPasswordSetThisDeviceOnly = "akpu"
  /// While the store is unlocked, on this machine.
  case whenUnlockedThisDeviceOnly = "aku"
  /// While the store is unlocked.
  case whenUnlocked = "ak"
  /// After the first unlock until the process ends, on this machine.
  case afterFirstUnlockThisDeviceOnly = "cku"
  /// After the first unlock until the process ends.
  case afterFirstUnlock = "ck"
}

extension Accessibility {
  /// - Throws: ``SecretStoreError/invalid(_:)`` for a text that keychains do not use.
  init(keychainValue: String) throws(SecretStoreError) {
    guard let known = Self.allCases.first(where: { $0.keychainValue == keychainValue }) else {
      throw .invalid("An accessibility is one of the constants kSecAttrAccessible…")
    }
    self = known
  }
}
