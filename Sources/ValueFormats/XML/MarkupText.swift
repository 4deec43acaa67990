/// The characters that XML 1.0 allows in text, and their escapes.
enum MarkupText {
  /// Returns the index of the first character in valid UTF-8 that XML does not allow.
  static func firstForbidden(in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.first { index in
      switch bytes[index] {
      case 0x09, 0x0A, 0x0D: false
      case 0..<0x20: true
      // U+FFFE and U+FFFF.
      case 0xEF: bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE
      default: false
      }
    }
  }

  /// Returns whether XML can represent a text.
  static func allows(_ text: String) -> Bool {
    firstForbidden(in: ArraySlice(text.utf8)) == nil
  }

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
