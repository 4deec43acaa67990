/// A reader that decodes the integers and bytes of a record sequentially.
struct RecordReader {
  private let source: ArraySlice<UInt8>
  private(set) var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    source = bytes
    position = bytes.startIndex
  }

  var remaining: ArraySlice<UInt8> { source[position...] }
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
