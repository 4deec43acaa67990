/// A line and column in a text file, as shown by editors.
struct TextPosition: Hashable {
  /// The line, from 1; a line ends with LF, CR, or CRLF.
  private(set) var line = 1
  /// The column in code points, from 1.
  private(set) var column = 1

  /// Creates the position of a byte of UTF-8 text, or of the end of the text.
  init(of offset: Int, in bytes: [UInt8]) {
    var previous: UInt8 = 0
    for byte in bytes.prefix(offset) {
      switch byte {
      case UInt8(ascii: "\n") where previous == UInt8(ascii: "\r"): break
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        line += 1
        column = 1
      // Only the first byte of a code point counts.
      case 0x80...0xBF: break
      default: column += 1
      }
      previous = byte
    }
  }
}
