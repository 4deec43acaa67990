// The cursor over the UTF-8 code units of a descriptor, whose syntax is entirely ASCII.
extension DescriptorParser {
  var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  var isAtEndOfRule: Bool { current == nil || isAt(";") }

  func isAt(_ character: Unicode.Scalar) -> Bool { current == UInt8(ascii: character) }

  mutating func skipWhitespace() {
    while let byte = current, byte.isWhitespace { position += 1 }
  }

  /// Consumes and returns the longest possible name of a rule or class, which can be empty.
  mutating func scanName() -> String {
    let start = position
    while let byte = current, byte.isNamePart { position += 1 }
    return text(start..<position)
  }
}

extension UInt8 {
  /// Whether names can contain the byte.
  var isNamePart: Bool {
    // The bit 0x20 tells lowercase letters from uppercase ones.
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) || self == UInt8(ascii: "-")
  }

  var isWhitespace: Bool {
    switch self {
    case 0x20, 0x09, 0x0A, 0x0C, 0x0D: true
    default: false
    }
  }
}
