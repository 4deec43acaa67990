/// Takes JSON apart from its front, as strictly as RFC 8259 has it.
struct JSONReader {
  /// Valid UTF-8.
  let bytes: ArraySlice<UInt8>
  /// The index of the byte that is looked at.
  var position: Int

  /// - Throws: Where the bytes are not UTF-8.
  init(_ bytes: ArraySlice<UInt8>) throws(FormatError) {
    do {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw FormatError(reason: "this is not UTF-8", offset: error.byteOffsets.lowerBound)
    }
    self.bytes = bytes
    position = bytes.startIndex
  }

  var current: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

  /// Passes over a byte if it is the one that is looked at.
  mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  func hasPrefix(_ text: String) -> Bool {
    bytes[position...].starts(with: text.utf8)
  }

  mutating func skipWhitespace() {
    while position < bytes.endIndex {
      switch bytes[position] {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
        position += 1
      default: return
      }
    }
  }

  /// Makes sure that nothing but white space follows.
  mutating func expectEnd() throws(FormatError) {
    skipWhitespace()
    if position < bytes.endIndex { throw unexpected("there is more after the end") }
  }
}

extension JSONReader {
  func failure(_ reason: String, at index: Int? = nil) -> FormatError {
    FormatError(reason: reason, offset: (index ?? position) - bytes.startIndex)
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
