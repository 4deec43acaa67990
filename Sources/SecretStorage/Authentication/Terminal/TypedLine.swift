import CLibrary

/// A line of input that the process edits, because the terminal truncates lines to 4,095 bytes.
struct TypedLine {
  enum Progress { case incomplete, complete, endOfInput }

  /// The maximum length of a line, in bytes.
  static let limit = 64 * 1024

  /// The editing keys, by their index in `c_cc`, such as `VERASE`; 0 if a key is not set.
  var keys: [UInt8]
  /// Whether the key that erases removes a whole UTF-8 character.
  var erasesCharacters: Bool
  private(set) var count = 0
  private(set) var isTooLong = false
  /// Whether the next byte is added even if it is an editing key.
  private(set) var isLiteral = false

  init(editedBy settings: termios) {
    keys = unsafe withUnsafeBytes(of: settings.c_cc) { unsafe Array($0) }
    erasesCharacters = settings.c_iflag & tcflag_t(IUTF8) != 0
  }

  /// Processes the byte that follows the line in the buffer.
  mutating func processByte(_ buffer: UnsafeMutableBufferPointer<UInt8>) -> Progress {
    switch unsafe buffer[count] {
    case _ where isLiteral, 0:
      isLiteral = false
      addByte()
    case UInt8(ascii: "\n"): return .complete
    case keys[Int(VEOF)]: return end()
    case keys[Int(VLNEXT)]: isLiteral = true
    case keys[Int(VERASE)]:
      if count > 0 { count -= 1 }
      while erasesCharacters, count > 0, unsafe buffer[count] & 0xC0 == 0x80 { count -= 1 }
    case keys[Int(VWERASE)]:
      while count > 0, unsafe buffer[count - 1] == UInt8(ascii: " ") { count -= 1 }
      while count > 0, unsafe buffer[count - 1] != UInt8(ascii: " ") { count -= 1 }
    case keys[Int(VKILL)]:
      count = 0
      isTooLong = false
    default: addByte()
    }
    return .incomplete
  }

  /// Returns the progress when the user ends the input, which completes only a line with bytes.
  func end() -> Progress { count == 0 && !isTooLong ? .endOfInput : .complete }

  private mutating func addByte() {
    if count == Self.limit { isTooLong = true } else { count += 1 }
  }
}
