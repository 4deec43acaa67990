/// Where text stands in JSON.
struct JSONText {
  /// The index of the opening quotation mark.
  let start: Int
  /// The index after the closing quotation mark.
  let end: Int
  let hasEscapes: Bool
}

extension JSONReader {
  /// Passes over text, from its opening quotation mark.
  mutating func text() throws(FormatError) -> JSONText {
    let start = position
    var hasEscapes = false
    position += 1
    while true {
      position = endOfPlainText()
      switch current {
      case UInt8(ascii: "\""):
        position += 1
        return JSONText(start: start, end: position, hasEscapes: hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        _ = try escape()
      case nil:
        throw failure("it ends too early: a closing quotation mark is missing")
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        throw failure("a closing quotation mark is missing before the end of the line")
      case 0:
        throw failure("there is a NUL byte")
      default:
        throw failure("a control character is not written as an escape")
      }
    }
  }

  /// The index after what stands for itself in text.
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

  /// Passes over an escape, from its backslash, and says which unit of UTF-16 it stands for.
  private mutating func escape() throws(FormatError) -> UInt16 {
    let start = position
    position += 1
    guard let letter = current else {
      throw failure("it ends too early: a closing quotation mark is missing")
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
        guard let digit = current.flatMap(Self.hexadecimalDigit) else {
          throw failure("an escape with u has not four hexadecimal digits", at: start)
        }
        unit = unit << 4 | digit
        position += 1
      }
      return unit
    default: throw failure("JSON has no such escape", at: start)
    }
  }

  private static func hexadecimalDigit(_ byte: UInt8) -> UInt16? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  /// What text stands for that was passed over; stays where it is.
  func string(of text: JSONText) throws(FormatError) -> String {
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

  /// Passes over one escape, or two that are a surrogate pair.
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
    throw failure("an escape is one half of a surrogate pair, without the other", at: start)
  }
}
