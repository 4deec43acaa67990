/// Takes numbers, texts and bytes from the front of a record, in the order in which they were put.
struct RecordReader {
  private(set) var remaining: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    remaining = bytes
  }

  mutating func bytes(_ count: Int) throws(MalformedRecord) -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining.count else { throw MalformedRecord() }
    let end = remaining.startIndex + count
    defer { remaining = remaining[end...] }
    return remaining[..<end]
  }

  mutating func integer<Integer: FixedWidthInteger>(
    _ type: Integer.Type = Integer.self
  ) throws(MalformedRecord) -> Integer {
    let bytes = try bytes(MemoryLayout<Integer>.size)
    // Exactly the integer's size was taken.
    return unsafe bytes.withUnsafeBytes {
      unsafe Integer(littleEndian: $0.loadUnaligned(as: Integer.self))
    }
  }

  /// Bytes that are preceded by their count, as 32 bits.
  mutating func countedBytes() throws(MalformedRecord) -> ArraySlice<UInt8> {
    try bytes(Int(integer(UInt32.self)))
  }
}

/// Bytes that end too early, or say what cannot be.
struct MalformedRecord: Error {}

extension [UInt8] {
  mutating func append(littleEndian value: some FixedWidthInteger) {
    var remaining = value
    for _ in 0..<(value.bitWidth / 8) {
      append(UInt8(truncatingIfNeeded: remaining))
      remaining >>= 8
    }
  }

  mutating func append(counted bytes: some Collection<UInt8>) {
    append(littleEndian: UInt32(bytes.count))
    append(contentsOf: bytes)
  }

  /// Random bytes of the system's generator, which is fit for keys.
  static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }
}

extension Secret {
  static func random(_ count: Int) -> Secret {
    var generator = SystemRandomNumberGenerator()
    return unsafe Secret(count: count) { buffer in
      for index in buffer.indices {
        unsafe buffer[index] = UInt8.random(in: .min ... .max, using: &generator)
      }
    }
  }

  /// The bytes of this secret followed by those of another.
  func followed(by other: Secret) -> Secret {
    unsafe Secret(count: count + other.count) { buffer in
      unsafe withUnsafeBytes { one in
        unsafe other.withUnsafeBytes { two in
          unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: one)
          unsafe UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[one.count...])
            .copyMemory(from: two)
        }
      }
    }
  }
}
