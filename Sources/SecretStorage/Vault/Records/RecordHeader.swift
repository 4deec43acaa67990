/// The header of a record, which is authenticated but not encrypted.
struct RecordHeader: Sendable {
  enum Kind: UInt8, Sendable {
    case keys = 1
    case items = 2
  }

  /// The size of an encoded header, in bytes.
  static let size = 1 + 8 + 32
  /// The valid sequence numbers, to which small integers can be added without overflow.
  static let sequences: Range<UInt64> = 1..<(1 << 63)

  let kind: Kind
  /// The sequence number of the record in its vault, which compaction does not reset.
  let sequence: UInt64
  /// The digest of the previous record, perhaps of a replaced log; zeros for the vault's first one.
  let previousDigest: ArraySlice<UInt8>

  /// Creates the header of the record after the last one; throws if no sequence number is left.
  init(kind: Kind, after head: ChainHead) throws(SecretStoreError) {
    self.kind = kind
    sequence = head.sequence + 1
    guard Self.sequences.contains(sequence) else {
      throw .invalid("The vault has run out of sequence numbers: export its items to a new vault")
    }
    previousDigest = head.digest
  }

  /// Reads a header; throws if its kind is unknown or its sequence number is invalid.
  init(_ reader: inout RecordReader) throws(SecretStoreError) {
    guard let kind = Kind(rawValue: try reader.integer()) else { throw .malformedRecord }
    self.kind = kind
    sequence = try reader.integer()
    guard Self.sequences.contains(sequence) else { throw .malformedRecord }
    previousDigest = try reader.bytes(32)
  }

  var encoded: [UInt8] {
    var bytes = [kind.rawValue]
    bytes.append(littleEndian: sequence)
    bytes += previousDigest
    return bytes
  }
}
