/// What a person did on the keyboard.
enum Key: Equatable {
  case character(Unicode.Scalar)
  /// Text that was pasted in one go, without control characters.
  case paste(String)
  case enter, tab, backTab, escape
  case left, right, up, down, home, end
  case backspace, delete, deleteWord, deleteToStart, deleteToEnd
  /// A key that was typed with Ctrl, as the small letter.
  case control(Unicode.Scalar)
  /// Bytes that are not UTF-8.
  case unreadable

  /// The key of a control character of ASCII; nil where no key has one.
  init?(control byte: UInt8) {
    switch byte {
    case 0x01: self = .home
    case 0x02: self = .left
    case 0x05: self = .end
    case 0x06: self = .right
    case 0x08, 0x7F: self = .backspace
    case 0x09: self = .tab
    case 0x0A, 0x0D: self = .enter
    case 0x0B: self = .deleteToEnd
    case 0x0E: self = .down
    case 0x10: self = .up
    case 0x15: self = .deleteToStart
    case 0x17: self = .deleteWord
    case 0x01...0x1A: self = .control(Unicode.Scalar(byte + 0x60))
    default: return nil
    }
  }

  /// The key of a control sequence (ECMA-48), of which modifiers are left out.
  init?(sequence parameter: Int?, final: UInt8) {
    switch (final, parameter) {
    case (UInt8(ascii: "A"), _): self = .up
    case (UInt8(ascii: "B"), _): self = .down
    case (UInt8(ascii: "C"), _): self = .right
    case (UInt8(ascii: "D"), _): self = .left
    case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), 1), (UInt8(ascii: "~"), 7): self = .home
    case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), 4), (UInt8(ascii: "~"), 8): self = .end
    case (UInt8(ascii: "~"), 3): self = .delete
    case (UInt8(ascii: "Z"), _): self = .backTab
    default: return nil
    }
  }
}
