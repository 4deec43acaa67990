/// A decimal number such as `-1.5e3`: its digits, without zeros at either end, and a power of ten.
struct DecimalNumber: Equatable {
  private let sign: String
  private let digits: ArraySlice<UInt8>
  private let exponent: Int

  private init(_ sign: String, _ digits: ArraySlice<UInt8>, _ exponent: Int) {
    (self.sign, self.digits, self.exponent) = (sign, digits, exponent)
  }

  init?(_ text: String) {
    let (mantissa, exponent) = Self.split(text.utf8[...], at: { $0 | 0x20 == UInt8(ascii: "e") })
    let (whole, fraction) = Self.split(mantissa.withoutSign, at: { $0 == UInt8(ascii: ".") })
    let numeral = Array(whole) + Array(fraction ?? whole.prefix(0))
    let exponentDigits = exponent.map(\.withoutSign)
    guard !numeral.isEmpty, numeral.allSatisfy(\.isDigit), exponentDigits?.isEmpty != true,
      exponentDigits?.allSatisfy(\.isDigit) != false
    else { return nil }
    let zero = UInt8(ascii: "0")
    guard let last = numeral.lastIndex(where: { $0 != zero }) else {
      self.init("", [], 0)
      return
    }
    // With a larger exponent, an integer of 128 bits would need more digits than fit in memory.
    guard let power = exponent.map({ Int(Substring($0)) }) ?? 0, power.magnitude < 1 << 40
    else { return nil }
    self.init(
      mantissa.first == UInt8(ascii: "-") ? "-" : "", numeral[...last].drop { $0 == zero },
      power - (fraction?.count ?? 0) + numeral.count - 1 - last)
  }

  /// Splits a text at the first separator; the second part is nil if there is no separator.
  private static func split(
    _ text: Substring.UTF8View, at isSeparator: (UInt8) -> Bool
  ) -> (Substring.UTF8View, Substring.UTF8View?) {
    guard let index = text.firstIndex(where: isSeparator) else { return (text, nil) }
    return (text[..<index], text[index...].dropFirst())
  }

  /// Returns the number as an integer; nil if it is not integral or is out of range.
  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    if digits.isEmpty { return 0 }
    guard (0..<40).contains(exponent), digits.count < 40 else { return nil }
    return Integer(
      sign + String(decoding: digits, as: UTF8.self) + String(repeating: "0", count: exponent))
  }

  /// Returns the nearest integer to the number times a power of ten; nil if it is out of range.
  func rounded(times power: Int) -> Int128? {
    let excess = -(exponent + power)
    guard excess > 0 else { return DecimalNumber(sign, digits, exponent + power).integer() }
    if excess > digits.count { return 0 }
    let kept = digits.dropLast(excess)
    guard let integer = DecimalNumber(sign, kept, 0).integer(Int128.self) else { return nil }
    if digits[kept.endIndex] < UInt8(ascii: "5") { return integer }
    let (rounded, isTooLarge) = integer.addingReportingOverflow(sign.isEmpty ? 1 : -1)
    return isTooLarge ? nil : rounded
  }
}
