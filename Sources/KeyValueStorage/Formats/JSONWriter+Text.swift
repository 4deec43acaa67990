extension JSONWriter {
  /// Writes text in quotation marks, with escapes only where JSON demands them.
  mutating func write(text: String) {
    // Later on it would replace the doubling of the capacity.
    if bytes.isEmpty { bytes.reserveCapacity(text.utf8.count + 2) }
    bytes.append(UInt8(ascii: "\""))
    let span = text.utf8Span.span
    var isPlain = true
    for index in span.indices where Self.needsEscape(span[index]) {
      isPlain = false
      break
    }
    if isPlain {
      bytes += text.utf8
    } else {
      for byte in text.utf8 {
        if Self.needsEscape(byte) { writeEscape(of: byte) } else { bytes.append(byte) }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func writeEscape(of byte: UInt8) {
    switch byte {
    case 0x08: bytes += "\\b".utf8
    case 0x09: bytes += "\\t".utf8
    case 0x0A: bytes += "\\n".utf8
    case 0x0C: bytes += "\\f".utf8
    case 0x0D: bytes += "\\r".utf8
    case ..<0x10: bytes += "\\u000\(String(byte, radix: 16))".utf8
    case ..<0x20: bytes += "\\u00\(String(byte, radix: 16))".utf8
    default: bytes += [UInt8(ascii: "\\"), byte]
    }
  }
}
