extension JSONReader {
  /// Reads a number, a boolean or null.
  mutating func scalar() throws(FormatError) -> ValueTree {
    guard let current else { throw unexpected("a value is missing") }
    switch current {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      let start = position
      try skipNumber()
      return .number(.text(String(decoding: bytes[start..<position], as: UTF8.self)))
    case UInt8(ascii: "t") where hasPrefix("true"):
      position += 4
      return .bool(true)
    case UInt8(ascii: "f") where hasPrefix("false"):
      position += 5
      return .bool(false)
    case UInt8(ascii: "n") where hasPrefix("null"):
      position += 4
      return .null(depth: 0)
    case UInt8(ascii: "+"):
      throw failure("a number has a plus sign")
    case UInt8(ascii: "."):
      throw failure("a digit is missing before the point")
    case UInt8(ascii: "'"):
      throw failure("text is not in double quotation marks")
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
      throw failure("a word is neither true, false or null, nor in double quotation marks")
    default:
      throw unexpected("a value is missing")
    }
  }

  /// Whether these bytes are a number of JSON, and nothing else.
  static func isNumber(_ text: String) -> Bool {
    do throws(FormatError) {
      var reader = try JSONReader(ArraySlice(text.utf8))
      try reader.skipNumber()
      return reader.current == nil
    } catch {
      return false
    }
  }

  mutating func skipNumber() throws(FormatError) {
    _ = take("-")
    let start = position
    try skipDigits()
    if bytes[start] == UInt8(ascii: "0"), position > start + 1 {
      throw failure("a number begins with a needless zero", at: start)
    }
    if take(".") { try skipDigits() }
    if take("e") || take("E") {
      if !take("-") { _ = take("+") }
      try skipDigits()
    }
  }

  private mutating func skipDigits() throws(FormatError) {
    let start = position
    while current?.isDigit == true { position += 1 }
    if position == start { throw unexpected("a digit is missing") }
  }
}
