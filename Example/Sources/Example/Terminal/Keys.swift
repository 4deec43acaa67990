/// A key of the keyboard.
enum Key: Equatable {
  case character(Unicode.Scalar)
  /// Text that was pasted in one go, without control characters.
  case paste(String)
  case enter, tab, backTab, escape
  case left, right, up, down, home, end
  case backspace, delete, deleteWord, deleteToStart, deleteToEnd
  /// A key together with Ctrl, as the lowercase letter.
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

  /// The key of a control sequence (ECMA-48), without its modifiers.
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

/// A decoder of the bytes that a terminal sends, in pieces of any size.
///
/// An unknown sequence has no effect.
struct KeyDecoder {
  /// The most bytes of a paste.
  static let pasteLimit = 64 * 1024

  private enum State {
    case ground
    /// The beginning of a character of UTF-8, and how many bytes it has.
    case character([UInt8], length: Int)
    case escape
    /// The bytes after `ESC [`.
    case sequence([UInt8])
    /// After `ESC O`, or the `ESC [ [` of the Linux console: one more byte.
    case lastByte(isKnown: Bool)
    /// An answer or command that ends with BEL or `ESC \`, and whether the ESC was there.
    case string(endsNext: Bool)
    case paste
  }

  private static let escape: UInt8 = 0x1B
  private static let endOfPaste = Array("\u{1B}[201~".utf8)
  /// More bytes than a sequence of a keyboard has.
  private static let sequenceLimit = 32

  private var state = State.ground
  /// The bytes of the paste so far.
  private var pasted: [UInt8] = []

  /// Whether the bytes may be the escape key or the beginning of a sequence, which only time tells.
  var isUndecided: Bool {
    switch state {
    case .escape, .sequence, .lastByte: true
    default: false
    }
  }

  /// The key when nothing follows for a while.
  mutating func timeOut() -> Key? {
    guard isUndecided else { return nil }
    defer { state = .ground }
    if case .escape = state { return .escape }
    return nil
  }

  mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    for byte in bytes { decode(byte, into: &keys) }
    return keys
  }

  private mutating func decode(_ byte: UInt8, into keys: inout [Key]) {
    let current = state
    state = .ground
    switch current {
    case .ground: begin(byte, into: &keys)
    case .character(let bytes, let length): continueCharacter(bytes, length, byte, into: &keys)
    case .escape: continueEscape(byte, into: &keys)
    case .sequence(let bytes): continueSequence(bytes, byte, into: &keys)
    case .lastByte(let isKnown):
      guard isKnown, byte != UInt8(ascii: "M") else {
        if isKnown { keys.append(.enter) }
        return
      }
      if let key = Key(sequence: nil, final: byte) { keys.append(key) }
    case .string(let endsNext):
      let isEnd = byte == 0x07 || byte == 0x9C || endsNext && byte == UInt8(ascii: "\\")
      if !isEnd { state = .string(endsNext: byte == Self.escape) }
    case .paste: continuePaste(byte, into: &keys)
    }
  }

  private mutating func begin(_ byte: UInt8, into keys: inout [Key]) {
    switch byte {
    case Self.escape: state = .escape
    case 0x20..<0x7F: keys.append(.character(Unicode.Scalar(byte)))
    case 0..<0x80: if let key = Key(control: byte) { keys.append(key) }
    case 0xC2...0xDF: state = .character([byte], length: 2)
    case 0xE0...0xEF: state = .character([byte], length: 3)
    case 0xF0...0xF4: state = .character([byte], length: 4)
    default: keys.append(.unreadable)
    }
  }

  private mutating func continueCharacter(
    _ bytes: [UInt8], _ length: Int, _ byte: UInt8, into keys: inout [Key]
  ) {
    guard byte & 0xC0 == 0x80 else {
      keys.append(.unreadable)
      return begin(byte, into: &keys)
    }
    let bytes = bytes + [byte]
    if bytes.count < length { return state = .character(bytes, length: length) }
    guard let scalar = String(validating: bytes, as: UTF8.self)?.unicodeScalars.first else {
      return keys.append(.unreadable)
    }
    if scalar.properties.generalCategory != .control { keys.append(.character(scalar)) }
  }

  private mutating func continueEscape(_ byte: UInt8, into keys: inout [Key]) {
    switch byte {
    case UInt8(ascii: "["): state = .sequence([])
    case UInt8(ascii: "O"): state = .lastByte(isKnown: true)
    case UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "]"), UInt8(ascii: "^"),
      UInt8(ascii: "_"):
      state = .string(endsNext: false)
    // With Alt, some terminals send one more.
    case Self.escape: state = .escape
    case 0x08, 0x7F: keys.append(.deleteWord)
    // Alt with a character, which may have several bytes; the rest of them has no effect either.
    case 0x80...: dropCharacter(byte)
    default: break
    }
  }

  private mutating func dropCharacter(_ byte: UInt8) {
    var dropped: [Key] = []
    begin(byte, into: &dropped)
    // The next bytes complete it, and it is taken for the control character that is put before it.
    if case .character(let bytes, let length) = state {
      state = .character([0] + bytes, length: length + 1)
    }
  }

  private mutating func continueSequence(
    _ bytes: [UInt8], _ byte: UInt8, into keys: inout [Key]
  ) {
    switch byte {
    case UInt8(ascii: "[") where bytes.isEmpty: state = .lastByte(isKnown: false)
    case 0x20...0x3F:
      state = .sequence(bytes.count < Self.sequenceLimit ? bytes + [byte] : bytes)
    case 0x40...0x7E: finish(bytes, byte, into: &keys)
    default: begin(byte, into: &keys)
    }
  }

  private mutating func finish(_ bytes: [UInt8], _ final: UInt8, into keys: inout [Key]) {
    let parameters = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    let first = Int(String(decoding: parameters.first ?? [], as: UTF8.self))
    if final == UInt8(ascii: "~"), first == 200 {
      state = .paste
    } else if let key = Key(sequence: first, final: final) {
      keys.append(key)
    }
  }

  private mutating func continuePaste(_ byte: UInt8, into keys: inout [Key]) {
    pasted.append(byte)
    if pasted.suffix(Self.endOfPaste.count).elementsEqual(Self.endOfPaste) {
      keys.append(Self.paste(of: pasted.dropLast(Self.endOfPaste.count)))
      pasted = []
      return
    }
    // Bytes over the limit are left out, and the end is still found.
    if pasted.count > Self.pasteLimit + Self.endOfPaste.count { pasted.remove(at: Self.pasteLimit) }
    state = .paste
  }

  private static func paste(of bytes: ArraySlice<UInt8>) -> Key {
    // No field takes a text of the limit, so that the cut does not matter.
    let text =
      bytes.count > pasteLimit
      ? String(decoding: bytes.prefix(pasteLimit), as: UTF8.self)
      : String(validating: bytes, as: UTF8.self)
    guard let text else { return .unreadable }
    let scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
    return .paste(String(String.UnicodeScalarView(scalars)))
  }
}
