// Text, and the references in it.
extension MarkupReader {
  /// Reads the text and the end tag of an element; only validates the text if `isNeeded` is false.
  ///
  /// Line endings and control characters are kept, because Foundation writes and reads them as they
  /// are. `isSection` is whether the text is a single CDATA section.
  mutating func text(
    of element: PropertyListElement, isNeeded: Bool = true
  ) throws(FormatError) -> (text: String, isSection: Bool) {
    var text: [UInt8] = []
    var (sections, others) = (0, 0)
    let start = position
    while let current {
      switch current {
      case UInt8(ascii: "<"):
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
          if isNeeded { text += content }
        } else if try !skipCommentOrInstruction() {
          throw failure("<\(element.rawValue)> must contain only text")
        }
      case UInt8(ascii: "&"):
        let scalar = try reference()
        others += 1
        if isNeeded { text += String(scalar).utf8 }
      default:
        let run = try plainText()
        others += 1
        if isNeeded { text += run }
      }
    }
    throw failure("this <\(element.rawValue)> has no end tag", at: start)
  }

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
    guard skip(";"), let scalar else {
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

/// The characters that XML 1.0 allows in text.
enum MarkupText {
  static func allows(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    for index in bytes.indices {
      switch bytes[index] {
      case 0x09, 0x0A, 0x0D: break
      case 0..<0x20: return false
      // U+FFFE and U+FFFF.
      case 0xEF where bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE: return false
      default: break
      }
    }
    return true
  }
}
