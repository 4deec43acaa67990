/// Numbers as text, in a property list in XML.
enum PropertyListNumber {
  /// The text of an `<integer>`: decimal digits, or hexadecimal ones after `0x`.
  static func isInteger(_ text: Substring) -> Bool {
    let digits = withoutSign(text.utf8)
    if isHexadecimal(digits) {
      let digits = digits.dropFirst(2)
      return !digits.isEmpty && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }
    return !digits.isEmpty && digits.allSatisfy(\.isDigit)
  }

  /// The text of a `<real>`: a decimal number, `nan`, or an infinity.
  static func isReal(_ text: Substring) -> Bool {
    if nonFinite(text) != nil { return true }
    var rest = withoutSign(text.utf8)
    let whole = rest.prefix(while: \.isDigit)
    rest = rest.dropFirst(whole.count)
    var fraction = rest.prefix(0)
    if rest.first == UInt8(ascii: ".") {
      fraction = rest.dropFirst().prefix(while: \.isDigit)
      rest = rest.dropFirst(1 + fraction.count)
    }
    guard !whole.isEmpty || !fraction.isEmpty else { return false }
    if rest.isEmpty { return true }
    guard rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") else { return false }
    let exponent = withoutSign(rest.dropFirst())
    return !exponent.isEmpty && exponent.allSatisfy(\.isDigit)
  }

  static func integer(_ text: Substring) -> StoredNumber? {
    guard isInteger(text) else { return nil }
    let digits = withoutSign(text.utf8)
    let isHexadecimal = isHexadecimal(digits)
    let spelling =
      (text.utf8.first == UInt8(ascii: "-") ? "-" : "")
      + String(decoding: digits.dropFirst(isHexadecimal ? 2 : 0), as: UTF8.self)
    let number = Int128(spelling, radix: isHexadecimal ? 16 : 10)
    return number.map(StoredNumber.integer) ?? .text(String(text))
  }

  static func real(_ text: Substring) -> StoredNumber? {
    if let value = nonFinite(text) { return .real(value) }
    return isReal(text) ? .text(String(text)) : nil
  }

  /// The number that another text format spells like this, as nearly as an integer or text can be.
  static func number(_ spelling: String) -> StoredNumber? {
    let integer = integer(spelling[...])
    // No integer tells zeros apart.
    let isNegativeZero = integer == .integer(0) && spelling.utf8.first == UInt8(ascii: "-")
    return isNegativeZero ? .real(-0.0) : integer ?? real(spelling[...])
  }

  static func text(ofReal value: Double) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-infinity" : "+infinity" }
    return value.description
  }

  private static func nonFinite(_ text: Substring) -> Double? {
    guard let first = withoutSign(text.utf8).first, !first.isDigit, first != UInt8(ascii: ".")
    else { return nil }
    switch text.lowercased() {
    case "nan", "+nan", "-nan": return .nan
    case "inf", "+inf", "infinity", "+infinity": return .infinity
    case "-inf", "-infinity": return -.infinity
    default: return nil
    }
  }

  private static func withoutSign(_ text: Substring.UTF8View) -> Substring.UTF8View {
    let hasSign = text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+")
    return text.dropFirst(hasSign ? 1 : 0)
  }

  private static func isHexadecimal(_ digits: Substring.UTF8View) -> Bool {
    digits.first == UInt8(ascii: "0")
      && [UInt8(ascii: "x"), UInt8(ascii: "X")].contains(digits.dropFirst().first)
  }
}
