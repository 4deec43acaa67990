// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, OneVariableDeclarationPerLine

public import SecretStorage

// The accessibility of items, with the names and values of the Security framework.

@available(*, deprecated, message: "Use the `Accessibility` of this name, such as `.whenUnlocked`.")
public let
  kSecAttrAccessibleWhenUnlocked: CFString = "ak",
  kSecAttrAccessibleAfterFirstUnlock: CFString = "ck",
  kSecAttrAccessibleAlways: CFString = "dk",
  kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu",
  kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku",
  kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku",
  kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = "dku"

/// The accessibility of an item; the misspelled name is that of the original package.
@available(*, deprecated, message: "Use `Accessibility`.")
public enum AccesibleOption: CFString, CaseIterable, Sendable {
  case whenPasswordSetThisDeviceOnly = "akpu"
  case whenUnlockedThisDeviceOnly = "aku"
  case whenUnlocked = "ak"
  case afterFirstUnlockThisDeviceOnly = "cku"
  case afterFirstUnlock = "ck"
}

extension Accessibility {
  init(keychainValue: String) throws(SecretStoreError) {
    guard let match = Self.allCases.first(where: { $0.keychainValue == keychainValue }) else {
      throw .invalid("An accessibility is one of the constants kSecAttrAccessible…")
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
  public let rawValue: UInt

  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  public static let userPresence = Self(rawValue: 1 << 0)
  public static let biometryAny = Self(rawValue: 1 << 1)
  public static let touchIDAny = biometryAny
  public static let biometryCurrentSet = Self(rawValue: 1 << 3)
  public static let touchIDCurrentSet = biometryCurrentSet
  public static let devicePasscode = Self(rawValue: 1 << 4)
  /// The user's watch, which is not supported: a save that requires it fails.
  public static let watch = Self(rawValue: 1 << 5)
  public static let or = Self(rawValue: 1 << 14)
  public static let and = Self(rawValue: 1 << 15)
  public static let privateKeyUsage = Self(rawValue: 1 << 30)
  public static let applicationPassword = Self(rawValue: 1 << 31)

  private static let counterparts: [(Self, AccessFlags)] = [
    (.userPresence, .userPresence), (.biometryAny, .biometryAny),
    (.biometryCurrentSet, .biometryCurrentSet), (.devicePasscode, .devicePasscode),
    (.or, .or), (.and, .and), (.privateKeyUsage, .privateKeyUsage),
    (.applicationPassword, .applicationPassword),
  ]

  /// The flags of stores; throws `unsupported` for one that no store supports.
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
