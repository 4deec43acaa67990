/// Takes JSON apart from its front, as strictly as RFC 8259 has it.
struct JSONReader: TextReader {
  let bytes: ArraySlice<UInt8>
  var position: Int

  /// - Throws: Where the bytes are not UTF-8.
  init(_ bytes: ArraySlice<UInt8>) throws(FormatError) {
    try Self.requireUTF8(bytes)
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// Passes over a byte if it is the one that is looked at.
  mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  /// Makes sure that nothing but white space follows.
  mutating func expectEnd() throws(FormatError) {
    skipWhitespace()
    if !isAtEnd { throw unexpected("there is more after the end") }
  }

  /// What is wrong at the position, outside of text, unless there is something more telling to say.
  func unexpected(_ reason: String) -> FormatError {
    switch current {
    case nil: failure("it ends too early: \(reason)")
    case 0: failure("there is a NUL byte")
    case UInt8(ascii: "#"): failure("JSON has no comments")
    case UInt8(ascii: "/") where hasPrefix("//") || hasPrefix("/*"): failure("JSON has no comments")
    default: failure(reason)
    }
  }
}
