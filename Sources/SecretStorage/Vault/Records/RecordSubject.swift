import FoundationEssentials

/// The subject of a record, which the next record repeats in case this one is lost.
enum RecordSubject: Hashable, Sendable {
  /// The key table.
  case keys
  /// One item.
  case item(SecretItem.ID)
  /// Several items that no earlier record contains, as in a compacted log.
  case block

  private static let blockID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  private static let keysID = UUID(
    uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))

  /// The identifier of the item; for other subjects, a reserved identifier.
  var id: SecretItem.ID {
    switch self {
    case .item(let id): id
    case .block: SecretItem.ID(uuid: Self.blockID)
    case .keys: SecretItem.ID(uuid: Self.keysID)
    }
  }

  init(id: SecretItem.ID) {
    switch id.uuid {
    case Self.blockID: self = .block
    case Self.keysID: self = .keys
    default: self = .item(id)
    }
  }
}
