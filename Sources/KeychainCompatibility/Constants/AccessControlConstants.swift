// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import SecretStorage

// The accessibility of items, with the names and values of the Security framework.

@available(*, deprecated, message: "Use `Accessibility.whenUnlocked`.")
public let kSecAttrAccessibleWhenUnlocked: CFString = "ak"
@available(*, deprecated, message: "Use `Accessibility.afterFirstUnlock`.")
public let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck"
@available(*, deprecated, message: "Use `Accessibility.always`.")
public let kSecAttrAccessibleAlways: CFString = "dk"
@available(*, deprecated, message: "Use `Accessibility.whenPasscodeSetThisDeviceOnly`.")
public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu"
@available(*, deprecated, message: "Use `Accessibility.whenUnlockedThisDeviceOnly`.")
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku"
@available(*, deprecated, message: "Use `Accessibility.afterFirstUnlockThisDeviceOnly`.")
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
@available(*, deprecated, message: "Use `Accessibility.alwaysThisDeviceOnly`.")
public let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = "dku"

/// The accessibility of an item; the misspelled name is that of the original package.
@available(*, deprecated, message: "Use `Accessibility`.")
public enum AccesibleOption: CFString, CaseIterable, Sendable {
  /// While the store is unlocked, if it has a passphrase, on this machine.
  case whenPasswordSetThisDeviceOnly = "akpu"
  /// While the store is unlocked, on this machine.
  case whenUnlockedThisDeviceOnly = "aku"
  /// While the store is unlocked.
  case whenUnlocked = "ak"
  /// After the first unlock until the process ends, on this machine.
  case afterFirstUnlockThisDeviceOnly = "cku"
  /// After the first unlock until the process ends.
  case afterFirstUnlock = "ck"
}

extension Accessibility {
  /// Creates the accessibility with a given value in keychains.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` for a value that keychains do not use.
  init(keychainValue: String) throws(SecretStoreError) {
    guard let match = Self.allCases.first(where: { $0.keychainValue == keychainValue }) else {
      throw .invalid("The accessibility must be one of the constants kSecAttrAccessible…")
    }
    self = match
  }
}

/// The accessibility of an item, and the authentication that it requires.
@available(*, deprecated, renamed: "AccessControl")
public typealias SecAccessControl = AccessControl

/// The authentication that reading an item requires, with the bits of Apple's Security framework.
@available(*, deprecated, message: "Use `AccessFlags`.")
public struct SecAccessControlCreateFlags: OptionSet, Hashable, Sendable {
  /// The flags as bits.
  public let rawValue: UInt

  /// Creates a set of flags from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

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
  /// The user's watch, which is not supported: a save that requires it fails.
  public static let watch = Self(rawValue: 1 << 5)
  /// One of the methods is sufficient.
  public static let or = Self(rawValue: 1 << 14)
  /// All of the methods are required.
  public static let and = Self(rawValue: 1 << 15)
  /// Use of a private key; not valid for a password.
  public static let privateKeyUsage = Self(rawValue: 1 << 30)
  /// A password of the app, which also encrypts the secret.
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
      let supported = Self.counterparts.filter { contains($0.0) }
      guard self == Self(supported.map(\.0)) else {
        throw .unsupported("an access flag that only Apple's devices can check")
      }
      return AccessFlags(supported.map(\.1))
    }
  }
}
