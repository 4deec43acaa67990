/// The notation of numbers in an XML property list.
enum PropertyListNumber {
  /// Parses the text of `<integer>`: decimal digits, or `0x` and hexadecimal digits.
  static func integer(_ text: Substring) -> StoredNumber? {
    var digits = text.utf8.withoutSign
    let isHexadecimal = digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8)
    if isHexadecimal { digits = digits.dropFirst(2) }
    guard !digits.isEmpty,
      digits.allSatisfy({ isHexadecimal ? $0.hexadecimalDigit != nil : $0.isDigit })
    else { return nil }
    let sign = text.utf8.first == UInt8(ascii: "-") ? "-" : ""
    return Int128(sign + Substring(digits), radix: isHexadecimal ? 16 : 10)
      .map(StoredNumber.integer) ?? .text(String(text))
  }

  /// Parses the text of `<real>`: a decimal number, `nan`, or an infinity.
  static func real(_ text: Substring) -> StoredNumber? {
    // `Double` also accepts hexadecimal numbers and other names of non-finite numbers.
    if text.utf8.allSatisfy({ $0.isDigit || "+-.eE".utf8.contains($0) }) {
      return Double(text).map { _ in .text(String(text)) }
    }
    switch text.lowercased() {
    case "nan", "+nan", "-nan": return .real(.nan)
    case "inf", "+inf", "infinity", "+infinity": return .real(.infinity)
    case "-inf", "-infinity": return .real(-.infinity)
    default: return nil
    }
  }

  /// Converts a number in the notation of another format to a number of a property list.
  static func number(_ number: StoredNumber) throws(FormatError) -> StoredNumber {
    guard case .text(let text) = number else { return number }
    guard let number = integer(text[...]) ?? real(text[...]) else {
      throw FormatError(reason: "a number is not valid in a property list", offset: 0)
    }
    // An integer cannot represent -0.
    let isNegativeZero = number == .integer(0) && text.utf8.first == UInt8(ascii: "-")
    return isNegativeZero ? .real(-0.0) : number
  }

  static func text(ofReal value: some BinaryFloatingPoint & CustomStringConvertible) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-infinity" : "+infinity" }
    return value.description
  }
}
