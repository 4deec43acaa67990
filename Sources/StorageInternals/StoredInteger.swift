/// The integers that are stored as 8 bytes, the lowest first.
///
/// Not `FixedWidthInteger`: a type of the app may conform to that one and code itself otherwise.
protocol StoredInteger: FixedWidthInteger {}

extension Int: StoredInteger {}
extension Int8: StoredInteger {}
extension Int16: StoredInteger {}
extension Int32: StoredInteger {}
extension Int64: StoredInteger {}
extension UInt: StoredInteger {}
extension UInt8: StoredInteger {}
extension UInt16: StoredInteger {}
extension UInt32: StoredInteger {}
extension UInt64: StoredInteger {}

extension StoredInteger {
  var storedBytes: [UInt8] {
    let bits = UInt64(truncatingIfNeeded: self)
    return (0..<8).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
  }

  /// The integer in 1, 2, 4 or 8 bytes, whose highest bit is a sign if this type has one.
  static func stored(in bytes: Span<UInt8>) throws(ValueCodingError) -> Self {
    let width: Int
    switch bytes.count {
    case 1, 2, 4, 8: width = bytes.count * 8
    default: throw ValueCodingError(.wrongByteCount, of: Self.self)
    }
    var bits: UInt64 = 0
    for index in bytes.indices {
      bits |= UInt64(bytes[index]) << (index * 8)
    }
    // Shifting up and down again copies the sign into all higher bits.
    let integer =
      isSigned
      ? Self(exactly: Int64(bitPattern: bits << (64 - width)) >> (64 - width))
      : Self(exactly: bits)
    guard let integer else { throw ValueCodingError(.outOfRange, of: Self.self) }
    return integer
  }
}
