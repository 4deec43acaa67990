public import SecretStorage

/// The accessibility of an item and the authentication that it needs, under the name of Apple's
/// Security framework.
@available(*, deprecated, renamed: "AccessControl")
public typealias SecAccessControl = AccessControl

/// The authentication that reading an item needs, with the bits of Apple's Security framework.
@available(*, deprecated, message: "Use `AccessFlags`.")
public struct SecAccessControlCreateFlags: OptionSet, Hashable, Sendable {
  /// The flags as bits.
  public let rawValue: UInt

  /// Creates a set of flags from its bits.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Any authentication: the presence of the user, or a passcode, fingerprint or face.
  public static let userPresence = Self(rawValue: 1 << 0)
  /// Any enrolled fingerprint or face.
  public static let biometryAny = Self(rawValue: 1 << 1)
  /// The older name of ``biometryAny``.
  public static let touchIDAny = biometryAny
  /// A fingerprint or face, if none was enrolled or removed since the item was saved.
  public static let biometryCurrentSet = Self(rawValue: 1 << 3)
  /// The older name of ``biometryCurrentSet``.
  public static let touchIDCurrentSet = biometryCurrentSet
  /// The passphrase of the store or the login password.
  public static let devicePasscode = Self(rawValue: 1 << 4)
  /// The user's watch; it is not supported, so items with it are refused.
  public static let watch = Self(rawValue: 1 << 5)
  /// One of the methods is enough.
  public static let or = Self(rawValue: 1 << 14)
  /// All of the methods are needed.
  public static let and = Self(rawValue: 1 << 15)
  /// Use of a private key; it is meaningless for a password, so it is refused.
  public static let privateKeyUsage = Self(rawValue: 1 << 30)
  /// A password of the app, with which the secret is sealed again.
  public static let applicationPassword = Self(rawValue: 1 << 31)

  private static let counterparts: [(Self, AccessFlags)] = [
    (.userPresence, .userPresence), (.biometryAny, .biometryAny),
    (.biometryCurrentSet, .biometryCurrentSet), (.devicePasscode, .devicePasscode),
    (.or, .or), (.and, .and), (.privateKeyUsage, .privateKeyUsage),
    (.applicationPassword, .applicationPassword),
  ]

  /// The equivalent flags of stores.
  ///
  /// - Throws: ``SecretStoreError/unsupported(_:)`` for a flag that no store supports.
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
