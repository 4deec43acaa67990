/// When an item can be read, and what a person must prove for it.
public struct AccessControl: Hashable, Sendable {
  /// When the item can be read.
  public var accessibility: Accessibility
  /// What a person must prove to read the item.
  public var flags: AccessFlags

  /// Combines an accessibility with constraints.
  public init(_ accessibility: Accessibility = .whenUnlocked, flags: AccessFlags = []) {
    self.accessibility = accessibility
    self.flags = flags
  }
}

/// When an item can be read.
///
/// The vault enforces it with one key per class: where the key is not in memory, the item cannot be
/// decrypted. The classes that end in `ThisDeviceOnly` also need this machine's device key, so a
/// copied vault does not open them elsewhere.
public enum Accessibility: UInt8, Hashable, Sendable, CaseIterable {
  /// While the store is unlocked.
  case whenUnlocked = 1
  /// From the first unlocking until the process ends, locked or not.
  case afterFirstUnlock = 2
  /// Always, also before the first unlocking.
  case always = 3
  /// While the store is unlocked, and only as long as it has a passphrase, on this machine.
  ///
  /// Such items are removed together with the last passphrase.
  case whenPasscodeSetThisDeviceOnly = 4
  /// While the store is unlocked, on this machine.
  case whenUnlockedThisDeviceOnly = 5
  /// From the first unlocking until the process ends, on this machine.
  case afterFirstUnlockThisDeviceOnly = 6
  /// Always, on this machine.
  case alwaysThisDeviceOnly = 7
}

/// What a person must prove to read an item.
///
/// Several proofs are alternatives, unless ``and`` joins them; ``applicationPassword`` is needed in any
/// case. A mix without meaning is refused with ``SecretStoreError/invalid(_:)``, and what nobody can
/// check with ``SecretStoreError/unsupported(_:)``, both when the item is saved. Only
/// ``applicationPassword`` is cryptography; the others are what the store demands before it reads.
public struct AccessFlags: OptionSet, Hashable, Sendable {
  /// The flags as bits; they are stored, so a bit keeps its meaning.
  public let rawValue: UInt32

  /// Makes a set of flags of its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Any proof: that a person is there, or a passcode, fingerprint or face.
  public static let userPresence = AccessFlags(rawValue: 1 << 0)
  /// Any enrolled fingerprint or face.
  public static let biometryAny = AccessFlags(rawValue: 1 << 1)
  /// A fingerprint or face, as long as none was enrolled or removed since the item was saved.
  public static let biometryCurrentSet = AccessFlags(rawValue: 1 << 2)
  /// The passphrase of the store or the password of the login.
  public static let devicePasscode = AccessFlags(rawValue: 1 << 3)
  /// A password of the app's own, which seals the secret once more.
  public static let applicationPassword = AccessFlags(rawValue: 1 << 4)
  /// Use of a private key; it has no meaning for a password, and is refused.
  public static let privateKeyUsage = AccessFlags(rawValue: 1 << 5)
  /// One of the proofs is enough, as it is without this flag.
  public static let or = AccessFlags(rawValue: 1 << 6)
  /// All of the other flags are needed.
  public static let and = AccessFlags(rawValue: 1 << 7)
}
