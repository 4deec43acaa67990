/// A line and column in a text file, as shown by editors.
struct TextPosition: Hashable {
  /// The line, from 1; a line ends with LF, CR, or CRLF.
  private(set) var line = 1
  /// The column in code points, from 1.
  private(set) var column = 1

  /// Creates the position of a byte of UTF-8 text, or of the end of the text.
  init(of offset: Int, in bytes: [UInt8]) { advance(over: bytes.prefix(offset), after: 0) }

  /// Advances over bytes; `previous` is the byte before them, or 0.
  fileprivate mutating func advance(over bytes: ArraySlice<UInt8>, after previous: UInt8) {
    var previous = previous
    for byte in bytes {
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

extension TextPosition {
  /// The position at the beginning of a text.
  private init() {}

  /// Returns the name of a store, with a position if it is known.
  static func place(in store: String, line: Int?, column: Int?) -> String {
    guard let line, let column else { return store }
    return "\(store), line \(line), column \(column)"
  }

  /// The positions of many bytes of one text, each found in constant time.
  struct Table: Sendable {
    private static let step = 512
    private let bytes: [UInt8]
    /// The position of each byte whose offset is a multiple of `step`.
    private let known: [TextPosition]

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      var known = [TextPosition()]
      while known.count * Self.step <= bytes.count {
        let end = known.count * Self.step
        known.append(Self.position(of: end, in: bytes, known))
      }
      self.known = known
    }

    /// Returns the position of a byte, whose offset is at most the size of the text.
    subscript(offset: Int) -> TextPosition {
      Self.position(of: min(offset, bytes.count), in: bytes, known)
    }

    private static func position(
      of offset: Int, in bytes: [UInt8], _ known: [TextPosition]
    ) -> TextPosition {
      let index = min(offset / step, known.count - 1)
      let start = index * step
      var position = known[index]
      position.advance(over: bytes[start..<offset], after: start > 0 ? bytes[start - 1] : 0)
      return position
    }
  }
}
