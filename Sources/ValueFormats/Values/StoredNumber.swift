/// A number in its stored form.
package enum StoredNumber: Hashable, Sendable {
  case integer(Int128)
  case real(Double)
  case float(Float)
  /// A number in the notation of a file, such as `1e3`, which no number type preserves.
  case text(String)

  /// Returns the number as an integer; nil if it is not integral or is out of range.
  package func integer<Integer: FixedWidthInteger>(
    _ type: Integer.Type = Integer.self
  ) -> Integer? {
    switch self {
    case .integer(let integer): Integer(exactly: integer)
    case .real(let real): Integer(exactly: real)
    case .float(let float): Integer(exactly: float)
    case .text(let text): Integer(text) ?? Self.integer(ofDecimal: text)
    }
  }

  /// Parses a decimal number, such as `-1.5e3`, as an integer.
  private static func integer<Integer: FixedWidthInteger>(ofDecimal text: String) -> Integer? {
    let (mantissa, exponent) = split(text.utf8[...], at: { $0 | 0x20 == UInt8(ascii: "e") })
    let (whole, fraction) = split(mantissa.withoutSign, at: { $0 == UInt8(ascii: ".") })
    let numeral = Array(whole) + Array(fraction ?? whole.prefix(0))
    let exponentDigits = exponent.map(\.withoutSign)
    guard !numeral.isEmpty, numeral.allSatisfy(\.isDigit), exponentDigits?.isEmpty != true,
      exponentDigits?.allSatisfy(\.isDigit) != false
    else { return nil }
    let zero = UInt8(ascii: "0")
    guard let last = numeral.lastIndex(where: { $0 != zero }) else { return 0 }
    let digits = numeral[...last].drop { $0 == zero }
    // With a larger exponent, an integer of 128 bits would need more digits than fit in memory.
    guard let power = exponent.map({ Int(Substring($0)) }) ?? 0, power.magnitude < 1 << 40
    else { return nil }
    let zeros = power - (fraction?.count ?? 0) + numeral.count - 1 - last
    guard (0..<40).contains(zeros), digits.count < 40 else { return nil }
    let sign = mantissa.first == UInt8(ascii: "-") ? "-" : ""
    return Integer(
      sign + String(decoding: digits, as: UTF8.self) + String(repeating: "0", count: zeros))
  }

  /// Splits a text at the first separator; the second part is nil if there is no separator.
  private static func split(
    _ text: Substring.UTF8View, at isSeparator: (UInt8) -> Bool
  ) -> (Substring.UTF8View, Substring.UTF8View?) {
    guard let index = text.firstIndex(where: isSeparator) else { return (text, nil) }
    return (text[..<index], text[index...].dropFirst())
  }

  /// The nearest `Double`; nil if the number is out of range.
  package var double: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    case .float(let float): Double(float)
    case .text(let text): Self.parse(text)
    }
  }

  /// The nearest `Float`; nil if a finite number is out of range.
  var float: Float? {
    switch self {
    case .integer(let integer): Float(integer)
    case .real(let real): real.isFinite && Float(real).isInfinite ? nil : Float(real)
    case .float(let float): float
    // A conversion through `Double` would round twice.
    case .text(let text): Self.parse(text)
    }
  }

  private static func parse<Number: LosslessStringConvertible & FloatingPoint>(
    _ text: String
  ) -> Number? {
    guard let number = Number(text) else { return nil }
    return number.isFinite || !text.hasDigits ? number : nil
  }
}

extension String {
  /// Parses the name of an infinity or NaN, such as `NaN` or `-Infinity`; nil for other strings.
  func nonFinite<Number: LosslessStringConvertible & FloatingPoint>() -> Number? {
    guard !hasDigits, let number = Number(self), !number.isFinite else { return nil }
    return number
  }

  fileprivate var hasDigits: Bool { utf8.contains(where: \.isDigit) }
}
