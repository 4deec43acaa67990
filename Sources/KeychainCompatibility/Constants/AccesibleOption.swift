/// When an item can be read, as a choice.
@available(*, deprecated, message: "Use `Accessibility`.")
public enum AccesibleOption: CaseIterable, Sendable {
  /// While the store is unlocked, as long as it has a passphrase, on this machine.
  case whenPasswordSetThisDeviceOnly
  /// While the store is unlocked, on this machine.
  case whenUnlockedThisDeviceOnly
  /// While the store is unlocked.
  case whenUnlocked
  /// From the first unlocking until the process ends, on this machine.
  case afterFirstUnlockThisDeviceOnly
  /// From the first unlocking until the process ends.
  case afterFirstUnlock

  /// The constant `kSecAttrAccessible…` that means the same.
  public var rawValue: CFString {
    switch self {
    case .whenPasswordSetThisDeviceOnly: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
    case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
    case .whenUnlocked: kSecAttrAccessibleWhenUnlocked
    case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
    case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock
    }
  }

  /// Makes the choice of a constant `kSecAttrAccessible…`; nil for any other text.
  public init?(rawValue: CFString) {
    guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = known
  }
}
