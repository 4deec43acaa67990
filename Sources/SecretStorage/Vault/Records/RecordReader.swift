import FoundationEssentials

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

  /// Reads bytes that are preceded by their count, a 32-bit integer in a range.
  mutating func countedBytes(
    _ counts: ClosedRange<Int> = 0...Int(Int32.max)
  ) throws(MalformedRecord) -> ArraySlice<UInt8> {
    let count = Int(try integer(UInt32.self))
    guard counts.contains(count) else { throw MalformedRecord() }
    return try bytes(count)
  }

  mutating func itemID() throws(MalformedRecord) -> SecretItem.ID {
    SecretItem.ID(try bytes(16))
  }
}

/// The error of decoding bytes that are incomplete or invalid.
struct MalformedRecord: Error {}

// The encoding of what `RecordReader` decodes.
extension [UInt8] {
  mutating func append(littleEndian value: some FixedWidthInteger) {
    // The bytes are copied inside the closure.
    unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
  }

  /// Appends the number of bytes as a 32-bit integer, and then the bytes.
  mutating func append(counted bytes: some Collection<UInt8>) {
    append(littleEndian: UInt32(bytes.count))
    append(contentsOf: bytes)
  }

  mutating func append(_ id: SecretItem.ID) {
    // The memory of a UUID is its 16 bytes, which are copied inside the closure.
    unsafe Swift.withUnsafeBytes(of: id.uuid.uuid) { unsafe append(contentsOf: $0) }
  }

  /// Appends a section, which is a tag, a byte count and the bytes.
  mutating func append(_ tag: UInt8, counted bytes: some Collection<UInt8>) {
    append(tag)
    append(counted: bytes)
  }

  /// Appends a string as a section; ignores nil.
  mutating func append(_ tag: some RawRepresentable<UInt8>, _ string: String?) {
    if let string { append(tag.rawValue, counted: string.utf8) }
  }

  /// Appends an integer as a section; ignores nil.
  mutating func append(_ tag: some RawRepresentable<UInt8>, _ integer: (some FixedWidthInteger)?) {
    guard let integer else { return }
    append(tag.rawValue)
    append(littleEndian: UInt32(integer.bitWidth / 8))
    append(littleEndian: integer)
  }
}
