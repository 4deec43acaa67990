package enum StoredNumber: Hashable, Sendable {
  case integer(Int128)
  case real(Double)
  case float(Float)
  /// A number in the notation of a file, such as `1e3`, which no number type preserves.
  case text(String)

  /// The number in decimal notation, with all of its digits; that of the file, if it has one.
  var notation: String {
    switch self {
    case .integer(let integer): integer.description
    case .real(let real): real.description
    case .float(let float): float.description
    case .text(let text): text
    }
  }

  /// Returns the number as an integer, if it is one in range.
  package func integer<Integer: FixedWidthInteger>(
    _ type: Integer.Type = Integer.self
  ) -> Integer? {
    switch self {
    case .integer(let integer): Integer(exactly: integer)
    case .real(let real): Integer(exactly: real)
    case .float(let float): Integer(exactly: float)
    case .text(let text): Integer(text) ?? DecimalDigits(text)?.integer()
    }
  }

  /// The nearest `Double`; nil if a finite number is out of range.
  package var double: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    case .float(let float): Double(float)
    case .text(let text): Self.parse(text)
    }
  }

  /// The `Double` with all digits of a decimal number, if there is one.
  package var exactDouble: Double? {
    guard let double, case .text(let text) = self else { return double }
    return DecimalDigits(double.description) == DecimalDigits(text) ? double : nil
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

  /// Parses a number; returns nil if it has digits and is too large to be finite.
  private static func parse<Number: LosslessStringConvertible & FloatingPoint>(
    _ text: String
  ) -> Number? {
    guard let number = Number(text) else { return nil }
    return number.isFinite || !text.hasDigits ? number : nil
  }
}

extension String {
  /// Parses the name of an infinity or NaN, such as `-Infinity`.
  func nonFinite<Number: LosslessStringConvertible & FloatingPoint>() -> Number? {
    guard !hasDigits, let number = Number(self), !number.isFinite else { return nil }
    return number
  }

  fileprivate var hasDigits: Bool { utf8.contains(where: \.isDigit) }
}
