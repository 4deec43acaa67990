public import SecretStorage

/// When an item can be read and what a person must prove for it, under the name that it has in Apple's
/// Security framework.
@available(*, deprecated, renamed: "AccessControl")
public typealias SecAccessControl = AccessControl

/// What a person must prove to read an item, with the bits of Apple's Security framework.
@available(*, deprecated, message: "Use `AccessFlags`.")
public struct SecAccessControlCreateFlags: OptionSet, Hashable, Sendable {
  /// The flags as bits.
  public let rawValue: UInt

  /// Makes a set of flags of its bits.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Any proof: that a person is there, or a passcode, fingerprint or face.
  public static let userPresence = Self(rawValue: 1 << 0)
  /// Any enrolled fingerprint or face.
  public static let biometryAny = Self(rawValue: 1 << 1)
  /// The older name of ``biometryAny``.
  public static let touchIDAny = biometryAny
  /// A fingerprint or face, as long as none was enrolled or removed since the item was saved.
  public static let biometryCurrentSet = Self(rawValue: 1 << 3)
  /// The older name of ``biometryCurrentSet``.
  public static let touchIDCurrentSet = biometryCurrentSet
  /// The passphrase of the store or the password of the login.
  public static let devicePasscode = Self(rawValue: 1 << 4)
  /// A watch of the person; nothing here can ask one, so that an item with it is refused.
  public static let watch = Self(rawValue: 1 << 5)
  /// One of the proofs is enough.
  public static let or = Self(rawValue: 1 << 14)
  /// All of the proofs are needed.
  public static let and = Self(rawValue: 1 << 15)
  /// Use of a private key; it has no meaning for a password, and is refused.
  public static let privateKeyUsage = Self(rawValue: 1 << 30)
  /// A password of the app's own, which seals the secret once more.
  public static let applicationPassword = Self(rawValue: 1 << 31)

  private static let counterparts: [(Self, AccessFlags)] = [
    (.userPresence, .userPresence), (.biometryAny, .biometryAny),
    (.biometryCurrentSet, .biometryCurrentSet), (.devicePasscode, .devicePasscode),
    (.or, .or), (.and, .and), (.privateKeyUsage, .privateKeyUsage),
    (.applicationPassword, .applicationPassword),
  ]

  /// The same flags as stores know them.
  ///
  /// - Throws: ``SecretStoreError/unsupported(_:)`` for one that no store knows.
  var accessFlags: AccessFlags {
    get throws(SecretStoreError) {
      var rest = self
      var flags: AccessFlags = []
      for (flag, counterpart) in Self.counterparts where contains(flag) {
        rest.remove(flag)
        flags.insert(counterpart)
      }
      if !rest.isEmpty {
        throw .unsupported("an access flag that only Apple's devices can check")
      }
      return flags
    }
  }
}
