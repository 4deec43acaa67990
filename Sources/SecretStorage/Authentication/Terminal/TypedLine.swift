/// A line that is typed while the terminal itself neither shows nor edits it.
///
/// The terminal's own editing ends at 4,095 bytes and silently loses the rest.
struct TypedLine {
  /// The editing keys of the terminal's settings; 0 means that there is no such key.
  struct Keys {
    var erase: UInt8 = 0
    var eraseWord: UInt8 = 0
    var eraseLine: UInt8 = 0
    var end: UInt8 = 0
    /// The key that makes the next one literal.
    var literal: UInt8 = 0
    /// Whether characters may have several bytes, as in UTF-8.
    var erasesCharacters = false
  }

  enum Progress {
    case more, line, nothing
  }

  /// The maximum length of an answer, in bytes.
  static let limit = 64 * 1024

  let keys: Keys
  /// The number of bytes of the buffer that the line has so far.
  private(set) var count = 0
  /// Whether the line exceeds the limit; the excess must not reach the next reader of the terminal.
  private(set) var isTooLong = false
  private var isLiteral = false

  init(keys: Keys) {
    self.keys = keys
  }

  /// Processes the byte that follows the line in the buffer.
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

  /// Returns the result of a line that ends without a newline.
  func end() -> Progress { count == 0 && !isTooLong ? .nothing : .line }

  private mutating func eraseCharacter(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
    if count == 0 { return }
    count -= 1
    guard keys.erasesCharacters else { return }
    while count > 0, unsafe buffer[count] & 0xC0 == 0x80 { count -= 1 }
  }
}
