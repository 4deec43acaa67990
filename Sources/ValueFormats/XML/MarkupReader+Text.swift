extension MarkupReader {
  /// Reads the text and the end tag of an element; only validates the text if `isNeeded` is false.
  mutating func text(
    of element: PropertyListElement, isNeeded: Bool = true
  ) throws(FormatError) -> String {
    var text: [UInt8] = []
    let start = position
    while let current {
      switch current {
      case UInt8(ascii: "<"):
        if hasPrefix("</") {
          try endTag(of: element)
          return String(decoding: text, as: UTF8.self)
        } else if hasPrefix("<![CDATA[") {
          let start = position
          position += 9
          guard let content = skip(past: "]]>") else {
            throw failure("unterminated CDATA section", at: start)
          }
          if isNeeded { appendLines(content, to: &text) }
        } else if try !skipCommentOrInstruction() {
          throw failure("<\(element.rawValue)> must contain only text")
        }
      case UInt8(ascii: "&"):
        let scalar = try reference()
        if isNeeded { text.append(contentsOf: String(scalar).utf8) }
      default:
        let run = try plainText()
        if isNeeded { appendLines(run, to: &text) }
      }
    }
    throw failure("this <\(element.rawValue)> has no end tag", at: start)
  }

  /// Reads text up to the next tag or reference.
  private mutating func plainText() throws(FormatError) -> ArraySlice<UInt8> {
    let start = position
    while let current, current != UInt8(ascii: "<"), current != UInt8(ascii: "&") {
      if current == UInt8(ascii: ">"), bytes[start..<position].suffix(2).elementsEqual("]]".utf8) {
        throw failure("unexpected ]]> in text", at: position - 2)
      }
      position += 1
    }
    return bytes[start..<position]
  }

  /// Appends text, and converts each line ending to a line feed, as XML requires.
  private func appendLines(_ run: ArraySlice<UInt8>, to text: inout [UInt8]) {
    guard run.contains(UInt8(ascii: "\r")) else { return text.append(contentsOf: run) }
    for index in run.indices {
      if run[index] != UInt8(ascii: "\r") {
        text.append(run[index])
      } else if index + 1 == run.endIndex || run[index + 1] != UInt8(ascii: "\n") {
        text.append(UInt8(ascii: "\n"))
      }
    }
  }

  /// Reads a reference to a character or a predefined entity.
  mutating func reference() throws(FormatError) -> Unicode.Scalar {
    let start = position
    position += 1
    let scalar: Unicode.Scalar?
    if skip("#") {
      scalar = codePoint().flatMap(Unicode.Scalar.init)
    } else {
      switch try name() {
      case "lt": scalar = "<"
      case "gt": scalar = ">"
      case "amp": scalar = "&"
      case "quot": scalar = "\""
      case "apos": scalar = "'"
      default: throw failure("unknown entity", at: start)
      }
    }
    guard skip(";"), let scalar, MarkupText.allows(String(scalar)) else {
      throw failure("invalid character reference", at: start)
    }
    return scalar
  }

  private mutating func codePoint() -> UInt32? {
    let radix: UInt32 = skip("x") ? 16 : 10
    var number: UInt32?
    while let digit = current?.hexadecimalDigit, digit < radix {
      // Clamped to a value beyond the last code point, which prevents an overflow.
      number = min((number ?? 0) * radix + UInt32(digit), 0x110000)
      position += 1
    }
    return number
  }
}

/// The characters that XML 1.0 allows in text, and their escapes.
enum MarkupText {
  /// Returns the index of the first character in valid UTF-8 that XML does not allow.
  static func firstForbidden(in bytes: ArraySlice<UInt8>) -> Int? {
    var index = bytes.startIndex
    // Not a closure for each byte of a file: a build without optimization would call it.
    while index < bytes.endIndex {
      switch bytes[index] {
      case 0x09, 0x0A, 0x0D: break
      case 0..<0x20: return index
      // U+FFFE and U+FFFF.
      case 0xEF where bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE: return index
      default: break
      }
      index += 1
    }
    return nil
  }

  /// Returns whether XML can represent a text.
  static func allows(_ text: String) -> Bool { firstForbidden(in: ArraySlice(text.utf8)) == nil }

  /// Appends a text with the escapes that XML requires.
  static func write(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes.append(contentsOf: "&amp;".utf8)
      case UInt8(ascii: "<"): bytes.append(contentsOf: "&lt;".utf8)
      case UInt8(ascii: ">"): bytes.append(contentsOf: "&gt;".utf8)
      // A reader would treat an unescaped carriage return as a line ending.
      case UInt8(ascii: "\r"): bytes.append(contentsOf: "&#13;".utf8)
      default: bytes.append(byte)
      }
    }
  }
}
