import FoundationEssentials

/// The last record of a chain.
struct ChainHead: Hashable, Sendable {
  static let none = ChainHead(
    sequence: 0, digest: [UInt8](repeating: 0, count: 32)[...], subject: .keys, predecessor: [])

  let sequence: UInt64
  let digest: ArraySlice<UInt8>
  let subject: RecordSubject
  /// The digest of the previous record; empty if unknown.
  let predecessor: ArraySlice<UInt8>
}

/// The subject of a record, which the next record repeats in case this one is lost.
enum RecordSubject: Hashable, Sendable {
  case keys
  case item(SecretItem.ID)
  /// Items without an earlier record: a block of a compacted log.
  case block
}

extension RecordSubject {
  private static let blockName = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  private static let keysName = UUID(
    uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))

  /// The item's name; for other subjects a reserved name, with all bits clear or set.
  var name: SecretItem.ID {
    switch self {
    case .item(let id): id
    case .block: SecretItem.ID(uuid: Self.blockName)
    case .keys: SecretItem.ID(uuid: Self.keysName)
    }
  }

  init(name: SecretItem.ID) {
    switch name.uuid {
    case Self.blockName: self = .block
    case Self.keysName: self = .keys
    default: self = .item(name)
    }
  }
}
