/// The keys of a vault, each sealed: the user key in the slots, all others under the user key, the
/// device key, or both.
struct KeyTable: Sendable {
  static let idCount = 16
  /// The number of slots that a table may have, each of which unlocking may have to try.
  static let slotLimit = 64
  /// The number of keys that a table may have: more than any rotation needs.
  static let keyLimit = 256
  /// The bytes of memory that the passphrases of a table may ask for together, each pass counted.
  static let workLimit: UInt64 = 32 << 30

  /// Random bytes that tell the vault from all others.
  let vaultID: [UInt8]
  var slots: [KeySlot]
  var keys: [SealedKey]
  /// The last record of the file as it was exported; nil in a vault that never was an export.
  ///
  /// No other file could tell whether its end was cut off.
  var exportEnd: UInt64?
  /// Sections that a newer version wrote, which are kept as they are.
  var unknown: [(tag: UInt8, bytes: ArraySlice<UInt8>)] = []

  var hasPassphrase: Bool {
    slots.contains { if case .passphrase = $0.content { true } else { false } }
  }

  var hasDevice: Bool {
    slots.contains { if case .device = $0.content { true } else { false } }
  }

  /// What trying all slots with a passphrase costs, in bytes of memory, each pass over it counted.
  var work: UInt64 { slots.reduce(0) { $0 + $1.work } }

  /// Throws before a table is written that would not be read again.
  func checkCounts() throws(SecretStoreError) {
    if slots.count > Self.slotLimit {
      throw .invalid("A vault has at most \(Self.slotLimit) key slots: remove one")
    }
    if keys.count > Self.keyLimit {
      throw .invalid(
        "A vault has at most \(Self.keyLimit) keys: finish the rotation, by resumeRotation()")
    }
  }

  /// Tells the user keys that a vault has had apart, because each came with its own key for
  /// attributes.
  var generation: UInt32? { key(for: .attributes)?.id }

  /// The key that new items of an accessibility, or new attributes, are sealed under.
  func key(for purpose: KeyPurpose) -> SealedKey? {
    keys.last { $0.purpose == purpose }
  }
}

/// What a key of the table seals.
enum KeyPurpose: Hashable, Sendable {
  /// The secrets of an accessibility class.
  case secrets(Accessibility)
  /// The attributes of the items that need an unlocking.
  case attributes
  /// The attributes of the items that are always accessible.
  case alwaysAttributes

  var code: UInt8 {
    switch self {
    case .secrets(let accessibility): accessibility.rawValue
    case .attributes: 64
    case .alwaysAttributes: 65
    }
  }

  init?(code: UInt8) {
    switch code {
    case 64: self = .attributes
    case 65: self = .alwaysAttributes
    default:
      guard let accessibility = Accessibility(rawValue: code) else { return nil }
      self = .secrets(accessibility)
    }
  }

  /// Which keys open this one; any one of them is enough.
  var wrappings: [KeyWrapping] {
    switch self {
    case .attributes, .secrets(.whenUnlocked), .secrets(.afterFirstUnlock): [.user]
    case .alwaysAttributes, .secrets(.always): [.user, .device]
    case .secrets(.alwaysThisDeviceOnly): [.device]
    case .secrets(.whenPasscodeSetThisDeviceOnly), .secrets(.whenUnlockedThisDeviceOnly),
      .secrets(.afterFirstUnlockThisDeviceOnly):
      [.userAndDevice]
    }
  }

  /// Whether the key opens on other devices too.
  var isPortable: Bool { wrappings.contains(.user) }

  /// Whether `lock()` takes the key out of memory.
  var isForgottenByLocking: Bool {
    switch self {
    case .secrets(.whenUnlocked), .secrets(.whenUnlockedThisDeviceOnly),
      .secrets(.whenPasscodeSetThisDeviceOnly):
      true
    default: false
    }
  }

  /// The purpose of the key that seals the attributes of items of an accessibility.
  static func attributes(of accessibility: Accessibility) -> KeyPurpose {
    accessibility == .always || accessibility == .alwaysThisDeviceOnly
      ? .alwaysAttributes : .attributes
  }
}

/// Which of the vault's two outer keys seal a key.
enum KeyWrapping: UInt8, Sendable {
  case user = 1
  case device = 2
  case userAndDevice = 3
}

/// A key as the table holds it.
struct SealedKey: Sendable {
  /// Copies of the key, each sealed under something else.
  struct Copy: Sendable {
    let wrapping: KeyWrapping
    let salt: ArraySlice<UInt8>
    let sealed: ArraySlice<UInt8>
  }

  let id: UInt32
  let purpose: KeyPurpose
  let copies: [Copy]
}
