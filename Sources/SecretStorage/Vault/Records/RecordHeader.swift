/// The header of a record, which is authenticated but not encrypted.
struct RecordHeader: Sendable {
  enum Kind: UInt8, Sendable {
    case keys = 1
    case items = 2
  }

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
