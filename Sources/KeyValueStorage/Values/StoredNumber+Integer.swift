extension StoredNumber {
  /// The number as a type of integer; nil if it is not integral, or too large or small for the type.
  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    switch self {
    case .integer(let integer): Integer(exactly: integer)
    case .real(let real): Integer(exactly: real)
    case .float(let float): Integer(exactly: float)
    case .text(let text): Integer(text) ?? DecimalNumeral(text)?.integer()
    }
  }
}

/// A number as its decimal digits: the integer that they are, times a power of ten.
private struct DecimalNumeral {
  private var isNegative = false
  /// Without zeros at their beginning and end.
  private var digits: [UInt8] = []
  private var exponent = 0

  init?(_ text: String) {
    var bytes = text.utf8[...]
    if let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      bytes.removeFirst()
    }
    var hasDigits = false
    var hasPoint = false
    var zeros = 0
    while let byte = bytes.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
      bytes.removeFirst()
      if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
        continue
      }
      guard let digit = Self.digit(byte) else { return nil }
      hasDigits = true
      if hasPoint { exponent -= 1 }
      if digit == 0 {
        zeros += 1
        continue
      }
      if !digits.isEmpty { digits.append(contentsOf: repeatElement(0, count: zeros)) }
      zeros = 0
      digits.append(digit)
    }
    guard hasDigits else { return nil }
    exponent += zeros
    if !bytes.isEmpty {
      guard let power = Self.exponent(bytes.dropFirst()) else { return nil }
      exponent += power
    }
  }

  /// - Returns: An exponent, or one of the same sign that is beyond each type as well.
  private static func exponent(_ bytes: Substring.UTF8View) -> Int? {
    var bytes = bytes
    let sign = bytes.first
    if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { bytes.removeFirst() }
    guard !bytes.isEmpty else { return nil }
    var exponent = 0
    for byte in bytes {
      guard let digit = Self.digit(byte) else { return nil }
      // More than the digits of any text can make up for.
      if exponent < 1 << 48 { exponent = exponent * 10 + Int(digit) }
    }
    return sign == UInt8(ascii: "-") ? -exponent : exponent
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    let digit = byte &- UInt8(ascii: "0")
    return digit < 10 ? digit : nil
  }

  func integer<Integer: FixedWidthInteger>() -> Integer? {
    if digits.isEmpty { return 0 }
    guard exponent >= 0 else { return nil }
    var result: Integer = 0
    // However large the exponent, this ends when the type's largest integer is exceeded.
    for index in 0..<digits.count + exponent {
      let digit = Integer(index < digits.count ? digits[index] : 0)
      let (product, isTooLong) = result.multipliedReportingOverflow(by: 10)
      let (sum, isTooLarge) =
        isNegative
        ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if isTooLong || isTooLarge { return nil }
      result = sum
    }
    return result
  }
}
