/// A line as it is typed where the terminal itself neither shows nor edits it.
///
/// The terminal's own editing ends at 4,095 bytes and loses the rest without a word.
struct TypedLine {
  /// What the terminal's settings call the keys; 0 is a key that nobody has.
  struct Keys {
    var erase: UInt8 = 0
    var eraseWord: UInt8 = 0
    var eraseLine: UInt8 = 0
    var end: UInt8 = 0
    /// Takes the next key as it is.
    var literal: UInt8 = 0
    /// Whether characters have several bytes, as in UTF-8.
    var erasesCharacters = false
  }

  enum Progress {
    case more, line, nothing
  }

  /// The most bytes that an answer has.
  static let limit = 64 * 1024

  let keys: Keys
  /// How many bytes of the buffer are the line so far.
  private(set) var count = 0
  /// Whether more was typed than is taken; it must not get to whoever reads the terminal next.
  private(set) var isTooLong = false
  private var isLiteral = false

  init(keys: Keys) {
    self.keys = keys
  }

  /// Takes the byte that the buffer has behind the line.
  mutating func take(_ buffer: UnsafeMutableBufferPointer<UInt8>) -> Progress {
    let byte = unsafe buffer[count]
    if isLiteral {
      isLiteral = false
    } else {
      switch byte {
      case UInt8(ascii: "\n"): return .line
      case 0: break
      case keys.end: return end()
      case keys.literal:
        isLiteral = true
        return .more
      case keys.erase:
        unsafe eraseCharacter(buffer)
        return .more
      case keys.eraseWord:
        while count > 0, unsafe buffer[count - 1] == UInt8(ascii: " ") { count -= 1 }
        while count > 0, unsafe buffer[count - 1] != UInt8(ascii: " ") { count -= 1 }
        return .more
      case keys.eraseLine:
        count = 0
        isTooLong = false
        return .more
      default: break
      }
    }
    if count == Self.limit { isTooLong = true } else { count += 1 }
    return .more
  }

  /// What comes of a line that ends without a newline.
  func end() -> Progress { count == 0 && !isTooLong ? .nothing : .line }

  private mutating func eraseCharacter(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
    if count == 0 { return }
    count -= 1
    guard keys.erasesCharacters else { return }
    while count > 0, unsafe buffer[count] & 0xC0 == 0x80 { count -= 1 }
  }
}
