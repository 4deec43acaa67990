/// The range of a string in JSON.
struct JSONString {
  /// The index of the opening quotation mark.
  let start: Int
  /// The index after the closing quotation mark.
  let end: Int
  let hasEscapes: Bool
}

extension JSONReader {
  /// Skips a string, from its opening quotation mark.
  mutating func text() throws(FormatError) -> JSONString {
    let start = position
    var hasEscapes = false
    position += 1
    while true {
      position = endOfPlainText()
      switch current {
      case UInt8(ascii: "\""):
        position += 1
        return JSONString(start: start, end: position, hasEscapes: hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        _ = try escape()
      case nil: throw failure("unexpected end of input: expected a closing quotation mark")
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        throw failure("expected a closing quotation mark before the end of the line")
      case 0: throw failure("unexpected NUL byte")
      default: throw failure("unescaped control character")
      }
    }
  }

  /// Returns the index after the unescaped characters at the current position.
  private func endOfPlainText() -> Int {
    let span = bytes.span
    var index = position - bytes.startIndex
    while index < span.count {
      let byte = span[index]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
      index += 1
    }
    return bytes.startIndex + index
  }

  /// Skips an escape, from its backslash, and returns the UTF-16 code unit that it represents.
  private mutating func escape() throws(FormatError) -> UInt16 {
    let start = position
    position += 1
    guard let letter = current else {
      throw failure("unexpected end of input: expected a closing quotation mark")
    }
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(letter)
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "u"):
      var unit: UInt16 = 0
      for _ in 0..<4 {
        guard let digit = current?.hexadecimalDigit else {
          throw failure("a \\u escape must have four hexadecimal digits", at: start)
        }
        unit = unit << 4 | digit
        position += 1
      }
      return unit
    default: throw failure("invalid escape", at: start)
    }
  }

  /// Returns the content of a skipped string; does not change the position.
  func string(of text: JSONString) throws(FormatError) -> String {
    let content = bytes[(text.start + 1)..<(text.end - 1)]
    guard text.hasEscapes else { return String(decoding: content, as: UTF8.self) }
    var reader = self
    var result: [UInt8] = []
    result.reserveCapacity(content.count)
    reader.position = content.startIndex
    while true {
      let start = reader.position
      reader.position = reader.endOfPlainText()
      result += bytes[start..<reader.position]
      if reader.position == content.endIndex { return String(decoding: result, as: UTF8.self) }
      result += String(try reader.escapedScalar()).utf8
    }
  }

  /// Reads an escape, or two escapes that form a surrogate pair.
  private mutating func escapedScalar() throws(FormatError) -> Unicode.Scalar {
    let start = position
    let unit = try escape()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    if UTF16.isLeadSurrogate(unit), current == UInt8(ascii: "\\") {
      let next = try escape()
      if UTF16.isTrailSurrogate(next) {
        let scalar = 0x10000 + (UInt32(unit) & 0x3FF) << 10 + UInt32(next) & 0x3FF
        return Unicode.Scalar(scalar)!
      }
    }
    throw failure("unpaired surrogate in an escape", at: start)
  }
}
