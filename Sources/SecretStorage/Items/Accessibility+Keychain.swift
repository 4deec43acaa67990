extension Accessibility {
  /// The text that Apple's keychains store, for migrations.
  package var keychainValue: String {
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
}
