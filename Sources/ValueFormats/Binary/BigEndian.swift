extension Int {
  /// The smallest of 1, 2, 4 and 8 bytes in which a binary property list can store the number.
  var sizeInPropertyList: Int {
    switch self {
    case ...0xFF: 1
    case ...0xFFFF: 2
    case ...0xFFFF_FFFF: 4
    default: 8
    }
  }
}

extension [UInt8] {
  /// Appends the lowest bytes of a number in big-endian order.
  mutating func append(bigEndian number: some FixedWidthInteger, size: Int) {
    for shift in stride(from: (size - 1) * 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}

extension Sequence<UInt8> {
  /// Returns the number with these bytes in big-endian order.
  func bigEndian<Number: FixedWidthInteger>() -> Number {
    reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }
}
