/// The proofs that the user must give to read an item.
///
/// Without ``and``, one of several proofs is sufficient, except that ``applicationPassword`` is
/// always needed. Saving an item throws ``SecretStoreError/invalid(_:)`` for an invalid combination
/// of flags, and ``SecretStoreError/unsupported(_:)`` for a proof that cannot be checked. Only
/// ``applicationPassword`` adds encryption; the store checks the other proofs before it reads.
public struct AccessFlags: OptionSet, Hashable, Sendable {
  /// The bits of the set, which are stored and never change their meaning.
  public let rawValue: UInt32

  /// Creates a set of flags from its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Any proof: presence, a passcode, a fingerprint or a face.
  public static let userPresence = AccessFlags(rawValue: 1 << 0)
  /// Any enrolled fingerprint or face.
  public static let biometryAny = AccessFlags(rawValue: 1 << 1)
  /// A fingerprint or face, provided that none was enrolled or removed since the item was saved.
  public static let biometryCurrentSet = AccessFlags(rawValue: 1 << 2)
  /// The passphrase of the store or the login password.
  public static let devicePasscode = AccessFlags(rawValue: 1 << 3)
  /// A password that the app supplies, with which the secret is encrypted a second time.
  public static let applicationPassword = AccessFlags(rawValue: 1 << 4)
  /// The use of a private key, which is invalid for a password.
  public static let privateKeyUsage = AccessFlags(rawValue: 1 << 5)
  /// One of the proofs is sufficient; this is the default.
  public static let or = AccessFlags(rawValue: 1 << 6)
  /// All of the proofs are needed.
  public static let and = AccessFlags(rawValue: 1 << 7)
}
