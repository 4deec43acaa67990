/// Which characters XML 1.0 allows, and how text is written with them.
enum MarkupText {
  static func allows(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: true
    case 0..<0x20, 0xFFFE, 0xFFFF: false
    default: true
    }
  }

  /// The index of the first character that XML does not allow, in bytes that are valid UTF-8.
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

  /// Whether text can stand in XML at all, however it is written.
  static func canHold(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy(allows)
  }

  static func write(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes.append(contentsOf: "&amp;".utf8)
      case UInt8(ascii: "<"): bytes.append(contentsOf: "&lt;".utf8)
      case UInt8(ascii: ">"): bytes.append(contentsOf: "&gt;".utf8)
      // A reader takes one that is written as itself for the end of a line.
      case UInt8(ascii: "\r"): bytes.append(contentsOf: "&#13;".utf8)
      default: bytes.append(byte)
      }
    }
  }
}
