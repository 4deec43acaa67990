/// The proofs that a person must give to read an item.
///
/// Several proofs are alternatives, unless ``and`` joins them; ``applicationPassword`` is always
/// needed. Saving an item throws ``SecretStoreError/invalid(_:)`` for an invalid mix of flags, and
/// ``SecretStoreError/unsupported(_:)`` for a proof that cannot be checked. Only
/// ``applicationPassword`` encrypts the secret; the store checks the others before it reads.
public struct AccessFlags: OptionSet, Hashable, Sendable {
  /// The flags as bits, which are stored and never change their meaning.
  public let rawValue: UInt32

  /// Makes a set of flags from its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Any proof: the person's presence, a passcode, a fingerprint or a face.
  public static let userPresence = AccessFlags(rawValue: 1 << 0)
  /// Any enrolled fingerprint or face.
  public static let biometryAny = AccessFlags(rawValue: 1 << 1)
  /// A fingerprint or face, as long as none has been enrolled or removed since the item was saved.
  public static let biometryCurrentSet = AccessFlags(rawValue: 1 << 2)
  /// The passphrase of the store or the password of the login.
  public static let devicePasscode = AccessFlags(rawValue: 1 << 3)
  /// A password that the app supplies, under which the secret is sealed a second time.
  public static let applicationPassword = AccessFlags(rawValue: 1 << 4)
  /// The use of a private key; a password with this flag is refused.
  public static let privateKeyUsage = AccessFlags(rawValue: 1 << 5)
  /// One of the proofs is enough; the default.
  public static let or = AccessFlags(rawValue: 1 << 6)
  /// All of the other flags are needed.
  public static let and = AccessFlags(rawValue: 1 << 7)
}
