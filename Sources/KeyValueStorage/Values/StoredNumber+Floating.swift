extension StoredNumber {
  /// The nearest `Double`; nil for a text that is too large for one.
  var double: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    case .float(let float): Double(float)
    case .text(let text): Self.parse(text)
    }
  }

  /// The nearest `Float`; nil for a finite number that is too large for one.
  var float: Float? {
    switch self {
    case .integer(let integer): Float(integer)
    case .real(let real): real.isFinite && Float(real).isInfinite ? nil : Float(real)
    case .float(let float): float
    // By way of Double it would be rounded twice.
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
  /// The infinity or NaN that this is the name of, such as `NaN` or `-Infinity`; nil for other texts.
  func nonFinite<Number: LosslessStringConvertible & FloatingPoint>() -> Number? {
    guard !hasDigits, let number = Number(self), !number.isFinite else { return nil }
    return number
  }

  fileprivate var hasDigits: Bool { utf8.contains(where: \.isDigit) }
}
