/// The kind and the byte ranges of an object in a binary property list.
struct BinaryObject {
  let kind: Kind
  /// The marker byte, and the count if it does not fit in the marker.
  let header: Range<Int>
  /// The bytes of a value, or the references to the elements of a container.
  let content: Range<Int>

  /// The kind of an object; its raw value is the marker byte without a size or count.
  enum Kind: UInt8 {
    case null = 0x00
    case `false` = 0x08
    case `true` = 0x09
    case fill = 0x0F
    case integer = 0x10
    case real = 0x20
    case date = 0x30
    case data = 0x40
    case ascii = 0x50
    case utf16 = 0x60
    case utf8 = 0x70
    case uid = 0x80
    case array = 0xA0
    case orderedSet = 0xB0
    case set = 0xC0
    case dictionary = 0xD0

    /// Creates the kind of an object from its marker byte, whose low bits may be a size or count.
    init?(marker: UInt8) { self.init(rawValue: marker < 0x10 ? marker : marker & 0xF0) }

    var isContainer: Bool { rawValue >= Kind.array.rawValue }

    /// Whether the object has a count, in the marker or after it.
    var isCounted: Bool { isContainer || Kind.data.rawValue...Kind.utf8.rawValue ~= rawValue }
  }

  /// Returns the marker of an object with a count, and the count if it does not fit in the marker.
  static func header(_ kind: Kind, count: Int) -> [UInt8] {
    if count < 15 { return [kind.rawValue | UInt8(count)] }
    let size = count.unsignedSize
    var header = [kind.rawValue | 15, Kind.integer.rawValue | UInt8(size.trailingZeroBitCount)]
    header.append(bigEndian: count, size: size)
    return header
  }

  func failure(_ reason: String) -> FormatError {
    FormatError(reason: reason, offset: header.lowerBound)
  }
}

extension Int {
  /// The byte count, 1, 2, 4 or 8, of the number as an unsigned integer; it must not be negative.
  package var unsignedSize: Int {
    switch self {
    case ...0xFF: 1
    case ...0xFFFF: 2
    case ...0xFFFF_FFFF: 4
    default: 8
    }
  }
}

extension [UInt8] {
  /// Appends the least significant bytes of a number in big-endian order.
  mutating func append(bigEndian number: some FixedWidthInteger, size: Int) {
    for shift in stride(from: (size - 1) * 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}

extension Sequence<UInt8> {
  func bigEndian<Number: FixedWidthInteger>() -> Number {
    reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }
}
