enum KeyPurpose: Hashable, Sendable {
  /// Seals the secrets of items that have an accessibility, as a class key.
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

  /// The purposes of all keys that a new vault can have, some of which depend on its slots.
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

  /// Whether the user key opens the key on any machine.
  var isPortable: Bool { wrappings.contains(.user) }

  static let erasedByLocking: Set<KeyPurpose> = [
    .secrets(.whenUnlocked), .secrets(.whenUnlockedThisDeviceOnly),
    .secrets(.whenPasscodeSetThisDeviceOnly),
  ]

  static func attributes(of accessibility: Accessibility) -> KeyPurpose {
    accessibility == .always || accessibility == .alwaysThisDeviceOnly
      ? .alwaysAttributes : .attributes
  }
}

enum KeyWrapping: UInt8, Sendable {
  case user = 1
  case device = 2
  case userAndDevice = 3
}
