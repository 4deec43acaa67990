/// What each record of a vault begins with, in the clear but authenticated.
struct RecordHeader: Sendable {
  enum Kind: UInt8, Sendable {
    /// The table of keys.
    case keys = 1
    /// Items that were added, changed or removed.
    case items = 2
  }

  static let count = 1 + 8 + 32
  /// The sequences that a record may have.
  ///
  /// No vault comes near the end, and adding to them cannot overflow.
  static let sequences: Range<UInt64> = 1..<(1 << 63)

  let kind: Kind
  /// Counts the records of a vault, also across compaction.
  let sequence: UInt64
  /// The digest of the record before; zeros before the first.
  let predecessor: ArraySlice<UInt8>

  /// - Throws: ``SecretStoreError/invalid(_:)`` when no number is left.
  init(kind: Kind, after head: ChainHead) throws(SecretStoreError) {
    self.kind = kind
    sequence = head.sequence + 1
    guard Self.sequences.contains(sequence) else {
      throw .invalid(
        "The vault has no number for one more record: export its items into a new one")
    }
    predecessor = head.digest
  }

  var encoded: [UInt8] {
    var bytes = [kind.rawValue]
    bytes.append(littleEndian: sequence)
    bytes += predecessor
    return bytes
  }

  init(_ reader: inout RecordReader) throws(MalformedRecord) {
    guard let kind = Kind(rawValue: try reader.integer()) else { throw MalformedRecord() }
    self.kind = kind
    sequence = try reader.integer()
    guard Self.sequences.contains(sequence) else { throw MalformedRecord() }
    predecessor = try reader.bytes(32)
  }
}

/// The last record of a chain.
struct ChainHead: Hashable, Sendable {
  static let none = ChainHead(
    sequence: 0, digest: [UInt8](repeating: 0, count: 32)[...], subject: .keys, predecessor: [])

  let sequence: UInt64
  let digest: ArraySlice<UInt8>
  let subject: RecordSubject
  /// The digest of the record before; nothing where that is not known.
  let predecessor: ArraySlice<UInt8>
}

/// What a record is about; the record after it says so too, in case that it is lost.
enum RecordSubject: Hashable, Sendable {
  case keys
  case item(SecretItem.ID)
  /// Items that stand in no record before: a block of a compacted log.
  case block
}
