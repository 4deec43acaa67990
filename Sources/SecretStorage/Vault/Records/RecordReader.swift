import StorageInternals

/// A reader that decodes the integers and bytes of a record sequentially.
struct RecordReader {
  private let source: ArraySlice<UInt8>
  private(set) var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    source = bytes
    position = bytes.startIndex
  }

  var remaining: ArraySlice<UInt8> { source[position...] }
  /// The number of bytes that were read or skipped.
  var offset: Int { position - source.startIndex }
  var isAtEnd: Bool { position == source.endIndex }

  mutating func bytes(_ count: Int) throws(MalformedRecord) -> ArraySlice<UInt8> {
    source[try advance(count)]
  }

  mutating func skip(_ count: Int) throws(MalformedRecord) {
    _ = try advance(count)
  }

  mutating func integer<Integer: FixedWidthInteger>(
    _ type: Integer.Type = Integer.self
  ) throws(MalformedRecord) -> Integer {
    let range = try advance(MemoryLayout<Integer>.size)
    // The range is within the source and has the size of the integer.
    return unsafe source.withUnsafeBytes {
      unsafe Integer(
        littleEndian: $0.loadUnaligned(
          fromByteOffset: range.lowerBound - source.startIndex, as: Integer.self))
    }
  }

  private mutating func advance(_ count: Int) throws(MalformedRecord) -> Range<Int> {
    guard count >= 0, count <= source.endIndex - position else { throw MalformedRecord() }
    defer { position += count }
    return position..<(position + count)
  }

  /// Reads bytes that are preceded by their count, a 32-bit integer.
  mutating func countedBytes() throws(MalformedRecord) -> ArraySlice<UInt8> {
    try bytes(Int(integer(UInt32.self)))
  }

  mutating func itemID() throws(MalformedRecord) -> SecretItem.ID {
    SecretItem.ID(try bytes(16))
  }
}

/// The error of decoding bytes that are incomplete or invalid.
struct MalformedRecord: Error {}

/// The last record of a log, whose digest the next record repeats.
struct ChainHead: Hashable, Sendable {
  static let none = ChainHead(
    sequence: 0, digest: [UInt8](repeating: 0, count: 32)[...], subject: .keys, predecessor: [])

  let sequence: UInt64
  let digest: ArraySlice<UInt8>
  let subject: RecordSubject
  /// The digest of the previous record; empty if it is unknown.
  let predecessor: ArraySlice<UInt8>
}

extension [UInt8] {
  /// Returns at most 256 random bytes from the kernel's generator.
  static func random(_ count: Int) throws(SecretStoreError) -> [UInt8] {
    try system { () throws(SystemError) in try KernelRandom.bytes(count) }
  }
}

extension Secret {
  /// Returns at most 256 random bytes from the kernel's generator.
  static func random(_ count: Int) throws(SecretStoreError) -> Secret {
    try system { () throws(SystemError) in
      try unsafe Secret(count: count) { buffer throws(SystemError) in
        try unsafe KernelRandom.fill(buffer)
      }
    }
  }

  func slice(_ range: some RangeExpression<Int>) -> Secret {
    // The bytes are copied inside the closure, and the subscript checks the range.
    unsafe withUnsafeBytes { unsafe Secret($0[range.relative(to: $0.indices)]) }
  }

  func followed(by other: Secret) -> Secret {
    unsafe Secret(count: count + other.count) { buffer in
      unsafe withUnsafeBytes { one in
        unsafe other.withUnsafeBytes { two in
          let bytes = UnsafeMutableRawBufferPointer(buffer)
          unsafe bytes.copyMemory(from: one)
          unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[one.count...]).copyMemory(from: two)
        }
      }
    }
  }
}

/// The header of a record, which is authenticated but not encrypted.
struct RecordHeader: Sendable {
  enum Kind: UInt8, Sendable {
    case keys = 1
    /// Items that were added, changed or removed.
    case items = 2
  }

  static let count = 1 + 8 + 32
  /// The valid sequence numbers, to which small numbers can be added without overflow.
  static let sequences: Range<UInt64> = 1..<(1 << 63)

  let kind: Kind
  /// The sequence number of the record in its vault, which compaction does not reset.
  let sequence: UInt64
  /// The digest of the previous record; zeros for the first one.
  let predecessor: ArraySlice<UInt8>

  init(kind: Kind, after head: ChainHead) throws(SecretStoreError) {
    self.kind = kind
    sequence = head.sequence + 1
    guard Self.sequences.contains(sequence) else {
      throw .invalid("The vault has no sequence numbers left: export its items to a new vault")
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
