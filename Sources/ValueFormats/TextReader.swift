/// A reader of a text format.
protocol TextReader {
  /// The input in valid UTF-8: a file, or a part of one.
  var bytes: ArraySlice<UInt8> { get }
  /// The index of the current byte.
  var position: Int { get set }
}

extension TextReader {
  var isAtEnd: Bool { position == bytes.endIndex }

  var current: UInt8? { isAtEnd ? nil : bytes[position] }

  func hasPrefix(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  mutating func skipWhitespace() { while current?.isWhitespace == true { position += 1 } }

  /// Skips the current byte and returns true if it is a given character.
  mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  /// Skips a text and returns true if it is next.
  mutating func skip(text: String) -> Bool {
    guard hasPrefix(text) else { return false }
    position += text.utf8.count
    return true
  }

  /// Skips past the next occurrence of a text, and returns the bytes before it, or nil.
  mutating func skip(past text: String) -> ArraySlice<UInt8>? {
    let start = position
    while let index = bytes[position...].firstIndex(of: text.utf8.first!) {
      position = index
      if skip(text: text) { return bytes[start..<index] }
      position += 1
    }
    return nil
  }

  func failure(_ reason: String, at index: Int? = nil) -> FormatError {
    FormatError(reason: reason, offset: (index ?? position) - bytes.startIndex)
  }

  /// Throws an error if bytes are not valid UTF-8.
  static func requireUTF8(_ bytes: ArraySlice<UInt8>) throws(FormatError) {
    do {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw FormatError(reason: "invalid UTF-8", offset: error.byteOffsets.lowerBound)
    }
  }
}

extension UInt8 {
  var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

  /// The value of a hexadecimal digit; nil for other bytes.
  var hexadecimalDigit: UInt16? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(self - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(self - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(self - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  /// Whether JSON and XML treat the byte as white space.
  var isWhitespace: Bool {
    switch self {
    case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): true
    default: false
    }
  }
}

extension Substring.UTF8View {
  /// The text without a leading plus or minus sign.
  var withoutSign: Substring.UTF8View {
    dropFirst(first == UInt8(ascii: "-") || first == UInt8(ascii: "+") ? 1 : 0)
  }
}
