extension String {
  /// Reads a line that is a string of JSON (RFC 8259); nil when it is anything else.
  ///
  /// Half of a surrogate pair without the other is U+FFFD, because no text in Swift has it.
  init?(json line: ArraySlice<UInt8>) {
    // Every byte that has a meaning is of ASCII, and so is no part of another character.
    guard String(validating: line, as: UTF8.self) != nil else { return nil }
    var rest = line.drop(while: Self.isSpace)
    while let last = rest.last, Self.isSpace(last) { rest.removeLast() }
    guard rest.count >= 2, rest.removeFirst() == UInt8(ascii: "\""),
      rest.removeLast() == UInt8(ascii: "\"")
    else { return nil }
    if rest.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
      guard let units = Self.units(ofEscaped: rest) else { return nil }
      self.init(decoding: units, as: UTF16.self)
    } else {
      self.init(decoding: rest, as: UTF8.self)
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  private static func units(ofEscaped bytes: ArraySlice<UInt8>) -> [UInt16]? {
    var units: [UInt16] = []
    var rest = String(decoding: bytes, as: UTF8.self).utf16.makeIterator()
    while let unit = rest.next() {
      if unit < 0x20 || unit == UInt8(ascii: "\"") { return nil }
      guard unit == UInt8(ascii: "\\") else {
        units.append(unit)
        continue
      }
      guard let escaped = escape(in: &rest) else { return nil }
      units.append(escaped)
    }
    return units
  }

  /// What stands for a unit, behind its backslash.
  private static func escape(in units: inout String.UTF16View.Iterator) -> UInt16? {
    guard let letter = units.next().flatMap(Unicode.Scalar.init) else { return nil }
    switch letter {
    case "\"", "\\", "/": return UInt16(letter.value)
    case "b": return 0x08
    case "f": return 0x0C
    case "n": return 0x0A
    case "r": return 0x0D
    case "t": return 0x09
    case "u":
      var value: UInt16 = 0
      for _ in 0..<4 {
        guard let digit = units.next().flatMap(Unicode.Scalar.init), digit.isASCII,
          let number = Character(digit).hexDigitValue
        else { return nil }
        value = value << 4 | UInt16(number)
      }
      return value
    default: return nil
    }
  }
}
