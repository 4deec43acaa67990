/// A line and column in a text file, as shown by editors.
struct TextPosition: Hashable {
  /// The line, from 1; a line ends with LF, CR, or CRLF.
  private(set) var line = 1
  /// The column in code points, from 1.
  private(set) var column = 1

  private init() {}

  /// Returns the position of each byte of UTF-8 text, or of its end, in one pass over the text.
  static func all(of offsets: [Int], in bytes: [UInt8]) -> [Int: TextPosition] {
    let (lf, cr) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    var positions: [Int: TextPosition] = [:]
    var (next, position) = (0, TextPosition())
    for offset in offsets.sorted() {
      while next < min(offset, bytes.count) {
        let byte = bytes[next]
        if byte == lf, next > 0, bytes[next - 1] == cr {
          // The line has already ended.
        } else if byte == lf || byte == cr {
          position.line += 1
          position.column = 1
        } else if byte & 0xC0 != 0x80 {
          // Only the first byte of a code point counts.
          position.column += 1
        }
        next += 1
      }
      positions[offset] = position
    }
    return positions
  }
}
