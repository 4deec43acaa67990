/// A place in a text, as people and editors count.
struct TextPlace: Hashable {
  /// From 1; lines end with LF, CR, or both in this order.
  private(set) var line = 1
  /// From 1, in code points.
  private(set) var column = 1

  /// The place of a byte of UTF-8, or of the end.
  init(of offset: Int, in bytes: [UInt8]) {
    var previous: UInt8 = 0
    for byte in bytes.prefix(offset) {
      switch byte {
      case UInt8(ascii: "\n") where previous == UInt8(ascii: "\r"): break
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        line += 1
        column = 1
      // The first byte of a code point counts, those that continue it do not.
      case 0x80...0xBF: break
      default: column += 1
      }
      previous = byte
    }
  }
}
