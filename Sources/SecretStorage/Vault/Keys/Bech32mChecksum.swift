/// The Bech32m checksum of BIP 350 over 5-bit values.
struct Bech32mChecksum {
  static let count = 6

  private static let generators: [UInt32] = [
    0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3,
  ]
  private static let constant: UInt32 = 0x2BC8_30A3

  private var state: UInt32 = 1

  init(humanReadablePart: String) {
    for character in humanReadablePart.utf8 { add(character >> 5) }
    add(0)
    for character in humanReadablePart.utf8 { add(character & 31) }
  }

  mutating func add(_ value: UInt8) {
    let top = state >> 25
    state = (state & 0x1FF_FFFF) << 5 ^ UInt32(value)
    for bit in 0..<5 where top >> bit & 1 == 1 { state ^= Self.generators[bit] }
  }

  func value(at index: Int) -> UInt8 {
    var copy = self
    for _ in 0..<Self.count { copy.add(0) }
    return UInt8((copy.state ^ Self.constant) >> (5 * UInt32(Self.count - 1 - index)) & 31)
  }

  var isValid: Bool { state == Self.constant }
}
