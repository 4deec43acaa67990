/// A line of input that the process edits, because the terminal truncates lines to 4,095 bytes.
struct TypedLine {
  /// The editing keys in the terminal's settings; 0 if a key is not set.
  struct Keys {
    var erase: UInt8 = 0
    var eraseWord: UInt8 = 0
    var eraseLine: UInt8 = 0
    var end: UInt8 = 0
    var literal: UInt8 = 0
    var erasesCharacters = false
  }

  enum Progress { case incomplete, complete, endOfInput }

  static let limit = 64 * 1024

  let keys: Keys
  private(set) var count = 0
  private(set) var isTooLong = false
  private(set) var isLiteral = false

  /// Processes the byte that follows the line in the buffer.
  mutating func processByte(_ buffer: UnsafeMutableBufferPointer<UInt8>) -> Progress {
    let byte = unsafe buffer[count]
    if isLiteral {
      isLiteral = false
    } else {
      switch byte {
      case UInt8(ascii: "\n"): return .complete
      case 0: break
      case keys.end: return end()
      case keys.literal:
        isLiteral = true
        return .incomplete
      case keys.erase:
        unsafe eraseCharacter(buffer)
        return .incomplete
      case keys.eraseWord:
        while count > 0, unsafe buffer[count - 1] == UInt8(ascii: " ") { count -= 1 }
        while count > 0, unsafe buffer[count - 1] != UInt8(ascii: " ") { count -= 1 }
        return .incomplete
      case keys.eraseLine:
        count = 0
        isTooLong = false
        return .incomplete
      default: break
      }
    }
    if count == Self.limit { isTooLong = true } else { count += 1 }
    return .incomplete
  }

  func end() -> Progress { count == 0 && !isTooLong ? .endOfInput : .complete }

  private mutating func eraseCharacter(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
    if count == 0 { return }
    count -= 1
    guard keys.erasesCharacters else { return }
    while count > 0, unsafe buffer[count] & 0xC0 == 0x80 { count -= 1 }
  }
}
