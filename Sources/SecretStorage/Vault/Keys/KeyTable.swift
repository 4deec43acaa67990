/// The sealed keys of a vault: the user key in the slots, all others under the user key, the device
/// key, or both.
struct KeyTable: Sendable {
  static let idCount = 16
  /// The maximum number of slots; unlocking may have to try all of them.
  static let slotLimit = 64
  /// The maximum number of earlier generations with a tag for their readers.
  static let linkLimit = 8
  /// The maximum number of keys, more than any rotation needs.
  static let keyLimit = 256
  /// The maximum memory for all passphrases together, in bytes, each pass counted.
  static let workLimit: UInt64 = 32 << 30

  /// Random bytes that identify the vault.
  let vaultID: [UInt8]
  var slots: [KeySlot]
  var keys: [SealedKey]
  /// The sequence of the last record of an exported file; nil in a vault that never was an export.
  ///
  /// Without it, no machine state could tell whether the file's end was cut off.
  var exportEnd: UInt64?
  /// Sections of a newer version, kept unchanged.
  var unknown: [(tag: UInt8, bytes: ArraySlice<UInt8>)] = []

  var hasPassphrase: Bool {
    slots.contains { $0.kind.cost != nil }
  }

  var hasDevice: Bool {
    slots.contains { $0.kind == .device }
  }

  /// The cost of trying all slots with a passphrase, in bytes of memory, each pass counted.
  var work: UInt64 { slots.reduce(0) { $0 + $1.work } }

  /// Throws if the table exceeds the limits that reading it enforces.
  func checkCounts() throws(SecretStoreError) {
    if slots.count > Self.slotLimit {
      throw .invalid("A vault has at most \(Self.slotLimit) key slots: remove one")
    }
    if keys.count > Self.keyLimit {
      throw .invalid(
        "A vault has at most \(Self.keyLimit) keys: finish the rotation, by resumeRotation()")
    }
  }

  /// The generation of the user key, identified by the number of the attributes key that came with
  /// it.
  var generation: UInt32? { key(for: .attributes)?.id }

  /// The numbers of the keys that all tables of one file share.
  var fileKeys: [UInt32?] { [generation, key(for: .alwaysAttributes)?.id] }

  /// Returns the key that seals new items or attributes for a purpose.
  func key(for purpose: KeyPurpose) -> SealedKey? {
    keys.last { $0.purpose == purpose }
  }
}

/// The purpose of a key of the table.
enum KeyPurpose: Hashable, Sendable {
  /// The secrets of an accessibility class.
  case secrets(Accessibility)
  /// The attributes of the items that need unlocking.
  case attributes
  /// The attributes of the items that are always accessible, and the tags of key tables.
  case alwaysAttributes
  /// The tags of key tables alone, for readers that know the vault from before its last rotations.
  case earlierTables

  var code: UInt8 {
    switch self {
    case .secrets(let accessibility): accessibility.rawValue
    case .attributes: 64
    case .alwaysAttributes: 65
    case .earlierTables: 66
    }
  }

  /// The purposes of the keys that each new vault has, as far as its slots allow.
  static let ofNewVaults = Accessibility.allCases.map(secrets) + [.attributes, .alwaysAttributes]

  init?(code: UInt8) {
    let known = (Self.ofNewVaults + [.earlierTables]).first { $0.code == code }
    guard let known else { return nil }
    self = known
  }

  /// The outer keys that open this one; any one of them suffices.
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

  /// Whether the key opens on other devices too.
  var isPortable: Bool { wrappings.contains(.user) }

  /// Whether `lock()` removes the key from memory.
  var isForgottenByLocking: Bool {
    switch self {
    case .secrets(.whenUnlocked), .secrets(.whenUnlockedThisDeviceOnly),
      .secrets(.whenPasscodeSetThisDeviceOnly):
      true
    default: false
    }
  }

  /// Returns the purpose of the key that seals the attributes of items of an accessibility.
  static func attributes(of accessibility: Accessibility) -> KeyPurpose {
    accessibility == .always || accessibility == .alwaysThisDeviceOnly
      ? .alwaysAttributes : .attributes
  }
}

/// The outer keys of a vault that seal another key.
enum KeyWrapping: UInt8, Sendable {
  case user = 1
  case device = 2
  case userAndDevice = 3
}

/// A sealed key of the table.
struct SealedKey: Sendable {
  /// A copy of the key, sealed under one wrapping.
  struct Copy: Sendable {
    let wrapping: KeyWrapping
    let salt: ArraySlice<UInt8>
    let sealed: ArraySlice<UInt8>
  }

  let id: UInt32
  let purpose: KeyPurpose
  var copies: [Copy]
}

extension KeyTable {
  private enum Tag {
    static let slot: UInt8 = 1
    static let key: UInt8 = 2
    static let exportEnd: UInt8 = 16
  }

  /// The table as sections, each a tag, a byte count and the bytes.
  var encoded: [UInt8] {
    var bytes = vaultID
    for slot in slots {
      bytes.append(Tag.slot)
      bytes.append(counted: slot.encoded)
    }
    for key in keys {
      bytes.append(Tag.key)
      bytes.append(counted: key.encoded)
    }
    if let exportEnd {
      bytes.append(Tag.exportEnd, exportEnd)
    }
    for section in unknown {
      bytes.append(section.tag)
      bytes.append(counted: section.bytes)
    }
    return bytes
  }

  init(decoding bytes: ArraySlice<UInt8>) throws(MalformedRecord) {
    var reader = RecordReader(bytes)
    vaultID = Array(try reader.bytes(Self.idCount))
    slots = []
    keys = []
    while !reader.isAtEnd {
      let tag = try reader.integer(UInt8.self)
      let section = try reader.countedBytes()
      switch tag {
      case Tag.slot:
        slots.append(try KeySlot(decoding: section))
      case Tag.key:
        if let key = try SealedKey(decoding: section) {
          keys.append(key)
        } else {
          unknown.append((tag, section))
        }
      case Tag.exportEnd:
        var reader = RecordReader(section)
        let end: UInt64 = try reader.integer()
        guard RecordHeader.sequences.contains(end) else { throw MalformedRecord() }
        exportEnd = end
      default:
        unknown.append((tag, section))
      }
      guard slots.count <= Self.slotLimit, keys.count <= Self.keyLimit else {
        throw MalformedRecord()
      }
    }
  }
}

extension SealedKey {
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: id)
    bytes.append(purpose.code)
    for copy in copies {
      bytes.append(copy.wrapping.rawValue)
      bytes.append(counted: copy.salt)
      bytes.append(counted: copy.sealed)
    }
    return bytes
  }

  /// Decodes a key; nil for a purpose or a wrapping that only a newer version knows.
  init?(decoding bytes: ArraySlice<UInt8>) throws(MalformedRecord) {
    var reader = RecordReader(bytes)
    id = try reader.integer()
    guard let purpose = KeyPurpose(code: try reader.integer()) else { return nil }
    self.purpose = purpose
    copies = []
    while !reader.isAtEnd {
      guard let wrapping = KeyWrapping(rawValue: try reader.integer()) else { return nil }
      copies.append(
        Copy(
          wrapping: wrapping, salt: try reader.countedBytes(), sealed: try reader.countedBytes()))
    }
  }
}
