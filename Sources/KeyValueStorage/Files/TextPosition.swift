/// A line and column in a text file, as shown by editors.
struct TextPosition: Hashable {
  /// The line, from 1; a line ends with LF, CR, or CRLF.
  let line: Int
  /// The column in code points, from 1.
  let column: Int

  /// Creates the position of a byte of UTF-8 text, or of the end of the text.
  init(of offset: Int, in bytes: [UInt8]) {
    let (lf, cr) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    let text = bytes.prefix(offset)
    let pairs = zip(text, text.dropFirst()).count { $0 == (cr, lf) }
    line = 1 + text.count { $0 == lf || $0 == cr } - pairs
    // Only the first byte of a code point counts.
    column = 1 + text.reversed().prefix { $0 != lf && $0 != cr }.count { $0 & 0xC0 != 0x80 }
  }
}
