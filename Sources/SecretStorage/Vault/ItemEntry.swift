import FoundationEssentials

/// What a record says of one item.
enum ItemEntry: Sendable {
  /// The item is as this says from now on.
  case put(VaultItem)
  /// The item of that revision is gone; a later one is not.
  case remove(SecretItem.ID, revision: UInt64)

  private enum Operation {
    static let put: UInt8 = 1
    static let remove: UInt8 = 2
  }

  /// The item that the entry is about.
  var id: SecretItem.ID {
    switch self {
    case .put(let entry): entry.id
    case .remove(let id, _): id
    }
  }

  /// Adds the entry to the attributes of a record; a secret stands behind them, in the same order.
  func encode(into bytes: inout [UInt8]) {
    switch self {
    case .put(let item):
      bytes.append(Operation.put)
      bytes += item.encoded
    case .remove(let id, let revision):
      bytes.append(Operation.remove)
      bytes.append(id)
      bytes.append(littleEndian: revision)
    }
  }

  /// Takes an entry from a record's attributes, and a secret from the front of what stands behind.
  init(
    in body: RecordBody, _ reader: inout RecordReader, secrets: inout RecordReader
  ) throws(MalformedRecord) {
    switch try reader.integer(UInt8.self) {
    case Operation.put:
      self = .put(try VaultItem(in: body, &reader, secrets: &secrets))
    case Operation.remove:
      self = .remove(try reader.itemID(), revision: try reader.integer())
    default:
      throw MalformedRecord()
    }
  }
}

extension RecordReader {
  mutating func itemID() throws(MalformedRecord) -> SecretItem.ID {
    SecretItem.ID(try bytes(16))
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
