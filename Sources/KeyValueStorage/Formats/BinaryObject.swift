/// An object of a binary property list: where it is, and what its bytes are.
struct BinaryObject {
  let kind: Kind
  /// The marker, and the count where the marker has no room for it.
  let header: Range<Int>
  /// The bytes of a value, or the references of a container.
  let content: Range<Int>

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

    /// The kind whose markers are its raw value with a size or count, or its raw value alone.
    init?(marker: UInt8) {
      self.init(rawValue: marker < 0x10 ? marker : marker & 0xF0)
    }

    var isContainer: Bool { rawValue >= Kind.array.rawValue }

    /// Whether a count is in the marker, or after it.
    var isCounted: Bool { isContainer || [.data, .ascii, .utf16, .utf8].contains(self) }
  }

  /// How many bytes follow after a marker that says so itself; nil if it says nothing that there is.
  static func size(_ kind: Kind, _ argument: UInt8) -> Int? {
    switch (kind, argument) {
    case (.integer, 0...4), (.real, 2...3), (.date, 3): 1 << Int(argument)
    case (.uid, _): Int(argument) + 1
    case (.null, _), (.false, _), (.true, _), (.fill, _): 0
    default: nil
    }
  }

  /// The marker of an object with a count, followed by the count where it has no room for it.
  static func header(_ kind: Kind, count: Int) -> [UInt8] {
    if count < 15 { return [kind.rawValue | UInt8(count)] }
    let size = BinaryNumber.size(of: count)
    var header = [kind.rawValue | 15, Kind.integer.rawValue | UInt8(size.trailingZeroBitCount)]
    BinaryNumber.append(count, size: size, to: &header)
    return header
  }
}

/// Numbers without sign, the most significant byte first.
enum BinaryNumber {
  /// The smallest of the sizes 1, 2, 4 and 8.
  static func size(of number: Int) -> Int {
    switch number {
    case ...0xFF: 1
    case ...0xFFFF: 2
    case ...0xFFFF_FFFF: 4
    default: 8
    }
  }

  static func append(_ number: Int, size: Int, to bytes: inout [UInt8]) {
    for position in stride(from: (size - 1) * 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> position))
    }
  }
}
