enum KeyPurpose: Hashable, Sendable {
  case secrets(Accessibility)
  /// Seals the attributes of items that require unlocking.
  case attributes
  /// Seals the attributes of items that are always accessible, and authenticates key tables.
  case alwaysAttributes
  /// Authenticates key tables for readers that last saw the vault before recent key rotations.
  case earlierTables

  var code: UInt8 {
    switch self {
    case .secrets(let accessibility): accessibility.rawValue
    case .attributes: 64
    case .alwaysAttributes: 65
    case .earlierTables: 66
    }
  }

  /// The purposes of the keys in a new vault, some of which depend on its slots.
  static let ofNewVaults = Accessibility.allCases.map(secrets) + [.attributes, .alwaysAttributes]

  init?(code: UInt8) {
    let purpose = (Self.ofNewVaults + [.earlierTables]).first { $0.code == code }
    guard let purpose else { return nil }
    self = purpose
  }

  /// The wrappings under which the key is sealed; any one of them suffices to open it.
  var wrappings: [KeyWrapping] {
    switch self {
    case .attributes, .secrets(.whenUnlocked), .secrets(.afterFirstUnlock): [.user]
    case .alwaysAttributes, .earlierTables, .secrets(.always): [.user, .device]
    case .secrets(.alwaysThisDeviceOnly): [.device]
    case .secrets(.whenPasscodeSetThisDeviceOnly), .secrets(.whenUnlockedThisDeviceOnly),
      .secrets(.afterFirstUnlockThisDeviceOnly):
      [.userAndDevice]
    }
  }

  var isPortable: Bool { wrappings.contains(.user) }

  /// The purposes of the keys that are in memory only while the vault is unlocked.
  static let erasedByLocking: Set<KeyPurpose> = [
    .secrets(.whenUnlocked), .secrets(.whenUnlockedThisDeviceOnly),
    .secrets(.whenPasscodeSetThisDeviceOnly),
  ]

  static func attributes(of accessibility: Accessibility) -> KeyPurpose {
    accessibility == .always || accessibility == .alwaysThisDeviceOnly
      ? .alwaysAttributes : .attributes
  }
}

/// The outer key under which another key is sealed.
enum KeyWrapping: UInt8, Sendable {
  case user = 1
  case device = 2
  case userAndDevice = 3
}
