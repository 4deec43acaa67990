import StorageInternals

/// Takes numbers, texts and bytes from the front of a record, in the order in which they were put.
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
    // The range lies in the source and has exactly the integer's size.
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

  /// Bytes that are preceded by their count, as 32 bits.
  mutating func countedBytes() throws(MalformedRecord) -> ArraySlice<UInt8> {
    try bytes(Int(integer(UInt32.self)))
  }
}

/// Bytes that end too early, or say what cannot be.
struct MalformedRecord: Error {}

extension [UInt8] {
  mutating func append(littleEndian value: some FixedWidthInteger) {
    // An integer's bytes in memory are in the order of the machine, which this one makes little.
    unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
  }

  mutating func append(counted bytes: some Collection<UInt8>) {
    append(littleEndian: UInt32(bytes.count))
    append(contentsOf: bytes)
  }

  /// At most 256 bytes of the kernel's generator.
  static func random(_ count: Int) throws(SecretStoreError) -> [UInt8] {
    try system { () throws(SystemError) in try KernelRandom.bytes(count) }
  }
}

extension Secret {
  /// At most 256 bytes of the kernel's generator.
  static func random(_ count: Int) throws(SecretStoreError) -> Secret {
    try system { () throws(SystemError) in
      try unsafe Secret(count: count) { buffer throws(SystemError) in
        try unsafe KernelRandom.fill(buffer)
      }
    }
  }

  /// The bytes of this secret followed by those of another.
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
