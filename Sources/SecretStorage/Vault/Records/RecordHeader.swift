import FoundationEssentials

/// The header of a record, which is authenticated but not encrypted.
struct RecordHeader: Sendable {
  enum Kind: UInt8, Sendable {
    case keys = 1
    /// Items that were added, changed or removed.
    case items = 2
  }

  /// The size of a header, in bytes.
  static let size = 1 + 8 + 32
  /// The valid sequence numbers, to which small integers can be added without overflow.
  static let sequences: Range<UInt64> = 1..<(1 << 63)

  let kind: Kind
  /// The sequence number of the record in its vault, which compaction does not reset.
  let sequence: UInt64
  /// The digest of the previous record; zeros for the first one.
  let previousDigest: ArraySlice<UInt8>

  init(kind: Kind, after head: ChainHead) throws(SecretStoreError) {
    self.kind = kind
    sequence = head.sequence + 1
    guard Self.sequences.contains(sequence) else {
      throw .invalid("The vault has run out of sequence numbers: export its items to a new vault")
    }
    previousDigest = head.digest
  }

  var encoded: [UInt8] {
    var bytes = [kind.rawValue]
    bytes.append(littleEndian: sequence)
    bytes += previousDigest
    return bytes
  }

  init(_ reader: inout RecordReader) throws(MalformedRecord) {
    guard let kind = Kind(rawValue: try reader.integer()) else { throw MalformedRecord() }
    self.kind = kind
    sequence = try reader.integer()
    guard Self.sequences.contains(sequence) else { throw MalformedRecord() }
    previousDigest = try reader.bytes(32)
  }
}

/// The object of a record's change, which the next record repeats in case this record is lost.
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
