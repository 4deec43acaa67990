import SecretStorage

extension Accessibility {
  /// The text that keychains store for it.
  var keychainValue: String {
    switch self {
    case .whenUnlocked: "ak"
    case .afterFirstUnlock: "ck"
    case .always: "dk"
    case .whenPasscodeSetThisDeviceOnly: "akpu"
    case .whenUnlockedThisDeviceOnly: "aku"
    case .afterFirstUnlockThisDeviceOnly: "cku"
    case .alwaysThisDeviceOnly: "dku"
    }
  }

  /// - Throws: ``SecretStoreError/invalid(_:)`` for a text that keychains do not use.
  init(keychainValue: String) throws(SecretStoreError) {
    guard let known = Self.allCases.first(where: { $0.keychainValue == keychainValue }) else {
      throw .invalid("An accessibility is one of the constants kSecAttrAccessible…")
    }
    self = known
  }
}
