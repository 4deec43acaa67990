import FoundationEssentials

/// What a record says of one item.
enum ItemEntry: Sendable {
  /// The item is as this says from now on.
  case put(VaultItem)
  /// The item of that revision is gone; a later one is not.
  case remove(SecretItem.ID, revision: UInt64)

  /// What an entry of an item takes beside its texts, in bytes.
  static let fixedCount = 102

  private enum Operation {
    static let put: UInt8 = 1
    static let remove: UInt8 = 2
  }

  private enum Tag {
    static let service: UInt8 = 1
    static let account: UInt8 = 2
    static let server: UInt8 = 3
    static let securityDomain: UInt8 = 4
    static let `protocol`: UInt8 = 5
    static let authenticationType: UInt8 = 6
    static let port: UInt8 = 7
    static let path: UInt8 = 8
    static let label: UInt8 = 16
    static let comment: UInt8 = 17
    static let itemDescription: UInt8 = 18
    static let creator: UInt8 = 19
    static let type: UInt8 = 20
    static let isInvisible: UInt8 = 21
  }

  /// Adds the entry to the attributes of a record; a secret stands behind them, in the same order.
  func encode(into bytes: inout [UInt8]) {
    switch self {
    case .remove(let id, let revision):
      bytes.append(Operation.remove)
      bytes.append(id)
      bytes.append(littleEndian: revision)
    case .put(let entry):
      let item = entry.item
      bytes.append(Operation.put)
      bytes.append(item.id)
      bytes.append(littleEndian: item.revision)
      bytes.append(littleEndian: item.creationDate.microseconds)
      bytes.append(littleEndian: item.modificationDate.microseconds)
      bytes.append(item.identity.itemClass == .generic ? 1 : 2)
      bytes.append(item.attributes.accessControl.accessibility.rawValue)
      bytes.append(littleEndian: item.attributes.accessControl.flags.rawValue)
      bytes.append(littleEndian: entry.secret.revision)
      bytes.append(littleEndian: entry.secret.key)
      bytes.append(entry.secret.accessibility.rawValue)
      bytes += entry.secret.salt
      bytes.append(littleEndian: UInt32(entry.secret.bytes.count))
      let start = bytes.count
      bytes.append(littleEndian: UInt32(0))
      Self.encode(item.identity, item.attributes, into: &bytes)
      bytes += entry.unknown
      // Only now is it known how long the texts are.
      let count = UInt32(bytes.count - start - 4)
      for index in 0..<4 {
        bytes[start + index] = UInt8(truncatingIfNeeded: count >> (8 * UInt32(index)))
      }
    }
  }

  private static func encode(
    _ identity: ItemIdentity, _ attributes: ItemAttributes, into bytes: inout [UInt8]
  ) {
    func add(_ tag: UInt8, _ text: String?) {
      guard let text else { return }
      bytes.append(tag)
      bytes.append(counted: text.utf8)
    }
    func add(_ tag: UInt8, _ number: (some FixedWidthInteger)?) {
      guard let number else { return }
      bytes.append(tag)
      bytes.append(littleEndian: UInt32(number.bitWidth / 8))
      bytes.append(littleEndian: number)
    }
    add(Tag.service, identity.service)
    add(Tag.account, identity.account)
    add(Tag.server, identity.server)
    add(Tag.securityDomain, identity.securityDomain)
    add(Tag.protocol, identity.protocol?.rawValue)
    add(Tag.authenticationType, identity.authenticationType?.rawValue)
    add(Tag.port, identity.port)
    add(Tag.path, identity.path)
    add(Tag.label, attributes.label)
    add(Tag.comment, attributes.comment)
    add(Tag.itemDescription, attributes.itemDescription)
    add(Tag.creator, attributes.creator)
    add(Tag.type, attributes.type)
    add(Tag.isInvisible, attributes.isInvisible.map { UInt8($0 ? 1 : 0) })
  }

  /// Takes an entry from a record's attributes, and a secret from the front of what stands behind.
  init(
    _ reader: inout RecordReader, secrets: inout RecordReader
  ) throws(MalformedRecord) {
    switch try reader.integer(UInt8.self) {
    case Operation.remove:
      self = .remove(try reader.itemID(), revision: try reader.integer())
    case Operation.put:
      let id = try reader.itemID()
      let revision: UInt64 = try reader.integer()
      let created = Date(microseconds: try reader.integer())
      let modified = Date(microseconds: try reader.integer())
      let isGeneric = try reader.integer(UInt8.self) == 1
      guard let accessibility = Accessibility(rawValue: try reader.integer()) else {
        throw MalformedRecord()
      }
      let flags = AccessFlags(rawValue: try reader.integer())
      let secretRevision: UInt64 = try reader.integer()
      let key: UInt32 = try reader.integer()
      guard let secretAccessibility = Accessibility(rawValue: try reader.integer()) else {
        throw MalformedRecord()
      }
      let salt = try reader.bytes(32)
      let sealed = try secrets.bytes(Int(reader.integer(UInt32.self)))
      var fields = ItemFields(isGeneric: isGeneric)
      fields.attributes.accessControl = AccessControl(accessibility, flags: flags)
      try fields.read(RecordReader(reader.countedBytes()))
      let item = SecretItem(
        id: id, identity: fields.identity, attributes: fields.attributes, creationDate: created,
        modificationDate: modified, revision: revision)
      self = .put(
        VaultItem(
          item: item,
          secret: SealedSecret(
            revision: secretRevision, key: key, accessibility: secretAccessibility, salt: salt,
            bytes: sealed),
          unknown: fields.unknown[...]))
    default:
      throw MalformedRecord()
    }
  }

  /// The tagged fields of an entry.
  private struct ItemFields {
    var identity: ItemIdentity
    var attributes = ItemAttributes()
    var unknown: [UInt8] = []

    init(isGeneric: Bool) {
      identity = isGeneric ? .generic() : .internet()
    }

    mutating func read(_ reader: RecordReader) throws(MalformedRecord) {
      var reader = reader
      while !reader.isAtEnd {
        let tag = try reader.integer(UInt8.self)
        let bytes = try reader.countedBytes()
        switch tag {
        case Tag.service: identity.service = Self.text(bytes)
        case Tag.account: identity.account = Self.text(bytes)
        case Tag.server: identity.server = Self.text(bytes)
        case Tag.securityDomain: identity.securityDomain = Self.text(bytes)
        case Tag.protocol: identity.protocol = InternetProtocol(rawValue: Self.text(bytes))
        case Tag.authenticationType:
          identity.authenticationType = InternetAuthenticationType(rawValue: Self.text(bytes))
        case Tag.port: identity.port = try Self.number(bytes)
        case Tag.path: identity.path = Self.text(bytes)
        case Tag.label: attributes.label = Self.text(bytes)
        case Tag.comment: attributes.comment = Self.text(bytes)
        case Tag.itemDescription: attributes.itemDescription = Self.text(bytes)
        case Tag.creator: attributes.creator = try Self.number(bytes)
        case Tag.type: attributes.type = try Self.number(bytes)
        case Tag.isInvisible: attributes.isInvisible = try Self.number(bytes, UInt8.self) != 0
        default:
          unknown.append(tag)
          unknown.append(counted: bytes)
        }
      }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
      String(decoding: bytes, as: UTF8.self)
    }

    private static func number<Number: FixedWidthInteger>(
      _ bytes: ArraySlice<UInt8>, _ type: Number.Type = Number.self
    ) throws(MalformedRecord) -> Number {
      var reader = RecordReader(bytes)
      return try reader.integer()
    }
  }
}

extension RecordReader {
  mutating func itemID() throws(MalformedRecord) -> SecretItem.ID {
    let bytes = try bytes(16)
    // Exactly the size of a UUID was taken.
    return unsafe bytes.withUnsafeBytes {
      SecretItem.ID(bytes: UUID(uuid: unsafe $0.loadUnaligned(as: uuid_t.self)))
    }
  }
}

extension Date {
  /// Since 1970, rounded.
  var microseconds: Int64 { Int64((timeIntervalSince1970 * 1e6).rounded()) }

  init(microseconds: Int64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1e6)
  }
}

extension RecordSubject {
  private static let blockName = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  private static let keysName = UUID(
    uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))

  /// The item's name; or what no name is, all bits clear or set.
  var name: SecretItem.ID {
    switch self {
    case .item(let id): id
    case .block: SecretItem.ID(bytes: Self.blockName)
    case .keys: SecretItem.ID(bytes: Self.keysName)
    }
  }

  init(name: SecretItem.ID) {
    switch name.bytes {
    case Self.blockName: self = .block
    case Self.keysName: self = .keys
    default: self = .item(name)
    }
  }
}

extension SecretItem.ID {
  /// A new name.
  static func random() -> SecretItem.ID { SecretItem.ID(bytes: UUID()) }
}
