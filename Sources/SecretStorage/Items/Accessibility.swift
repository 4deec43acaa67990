/// The condition under which an item can be read.
///
/// The vault enforces it with one key per class: without the key in memory, the item cannot be
/// decrypted. The classes that end in `ThisDeviceOnly` also need this machine's device key, so a
/// copied vault cannot be opened elsewhere for them.
public enum Accessibility: UInt8, Hashable, Sendable, CaseIterable {
  /// While the store is unlocked.
  case whenUnlocked = 1
  /// From the first unlocking until the process ends, even if the store is locked again.
  case afterFirstUnlock = 2
  /// Always, even before the first unlocking.
  case always = 3
  /// While the store is unlocked, on this machine, and only as long as the store has a passphrase.
  ///
  /// Such items are removed with the last passphrase.
  case whenPasscodeSetThisDeviceOnly = 4
  /// While the store is unlocked, on this machine.
  case whenUnlockedThisDeviceOnly = 5
  /// From the first unlocking until the process ends, on this machine.
  case afterFirstUnlockThisDeviceOnly = 6
  /// Always, on this machine.
  case alwaysThisDeviceOnly = 7
}

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
