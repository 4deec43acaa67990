/// The condition under which an item can be read.
///
/// The vault enforces it with a separate key for each accessibility: while that key is not in
/// memory, the item cannot be decrypted. The cases named `…ThisDeviceOnly` also need the device key
/// of this machine, so their items cannot be read from a copy of the vault on another machine.
public enum Accessibility: UInt8, Hashable, Sendable, CaseIterable {
  /// While the store is unlocked.
  case whenUnlocked = 1
  /// From the first time that the store is unlocked until the process ends, even if it is locked
  /// again.
  case afterFirstUnlock = 2
  /// Always, even before the store is unlocked for the first time.
  case always = 3
  /// While the store is unlocked, on this machine, and only if the store has a passphrase.
  ///
  /// Removing the last passphrase also removes these items.
  case whenPasscodeSetThisDeviceOnly = 4
  /// While the store is unlocked, on this machine.
  case whenUnlockedThisDeviceOnly = 5
  /// From the first time that the store is unlocked until the process ends, on this machine.
  case afterFirstUnlockThisDeviceOnly = 6
  /// Always, on this machine.
  case alwaysThisDeviceOnly = 7
}

extension Accessibility {
  /// The value of `kSecAttrAccessible` in Apple's keychains, for migrations.
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
