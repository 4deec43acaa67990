// Text, and the references in it.
extension MarkupReader {
  /// Reads the text and the end tag of an element, and whether the text is a single CDATA section.
  ///
  /// Line endings and control characters are kept, because Foundation writes and reads them as they
  /// are.
  mutating func text(
    of element: PropertyListElement
  ) throws(FormatError) -> (text: String, isSection: Bool) {
    var text: [UInt8] = []
    var (sections, others) = (0, 0)
    let start = position
    while let current {
      if hasPrefix("</") {
        try endTag(of: element)
        return (String(decoding: text, as: UTF8.self), sections == 1 && others == 0)
      } else if hasPrefix("<![CDATA[") {
        let start = position
        position += 9
        guard let content = skip(past: "]]>") else {
          throw failure("unterminated CDATA section", at: start)
        }
        sections += 1
        text += content
      } else if current == UInt8(ascii: "<") {
        guard try skipCommentOrInstruction() else {
          throw failure("<\(element.rawValue)> must contain only text")
        }
      } else {
        others += 1
        text += current == UInt8(ascii: "&") ? try reference() : plainText()
      }
    }
    throw failure("this <\(element.rawValue)> has no end tag", at: start)
  }

  private mutating func plainText() -> ArraySlice<UInt8> {
    let text = bytes[position...].prefix { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") }
    position = text.endIndex
    return text
  }

  private static let entities: [String: Unicode.Scalar] = [
    "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
  ]

  /// Reads a reference, and returns its character in UTF-8.
  private mutating func reference() throws(FormatError) -> ArraySlice<UInt8> {
    let start = position
    position += 1
    let scalar: Unicode.Scalar?
    if skip("#") {
      scalar = codePoint().flatMap(Unicode.Scalar.init)
    } else {
      scalar = Self.entities[try name()]
      if scalar == nil { throw failure("unknown entity", at: start) }
    }
    guard skip(";"), let scalar else { throw failure("invalid character reference", at: start) }
    return ArraySlice(String(scalar).utf8)
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

/// The characters that XML 1.0 allows in text.
enum MarkupText {
  static func allows(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "\t", "\n", "\r": true
      case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": false
      default: true
      }
    }
  }
}
