import FoundationEssentials

/// The digits of a decimal number, such as `-1.5e3`, which are equal for equal numbers.
struct DecimalDigits: Equatable {
  let isNegative: Bool
  /// The digits in ASCII, without zeros at either end; empty for zero.
  let digits: ArraySlice<UInt8>
  /// The power of ten by which the digits, as an integer, are multiplied.
  let exponent: Int

  /// Parses a decimal number; returns nil for other text, and if the exponent is too large.
  init?(_ text: String) {
    let parts = text.utf8.split(maxSplits: 1, omittingEmptySubsequences: false) {
      $0 | 0x20 == UInt8(ascii: "e")
    }
    let (mantissa, exponent) = (parts[0], parts.dropFirst().first)
    let halves = mantissa.withoutSign.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let numeral = halves.flatMap { Array($0) }
    let exponentDigits = exponent.map(\.withoutSign)
    guard !numeral.isEmpty, numeral.allSatisfy(\.isDigit), exponentDigits?.isEmpty != true,
      exponentDigits?.allSatisfy(\.isDigit) != false
    else { return nil }
    let zero = UInt8(ascii: "0")
    guard let last = numeral.lastIndex(where: { $0 != zero }) else {
      (isNegative, digits, self.exponent) = (false, [], 0)
      return
    }
    // A number with a larger exponent would need more digits than fit in memory.
    guard let power = exponent.map({ Int(Substring($0)) }) ?? 0, power.magnitude < 1 << 40
    else { return nil }
    isNegative = mantissa.first == UInt8(ascii: "-")
    digits = numeral[...last].drop { $0 == zero }
    self.exponent = power + halves[0].count - 1 - last
  }

  /// Returns the number, multiplied by a power of ten, as an integer; nil if it is not one, or does
  /// not fit.
  func integer<Integer: FixedWidthInteger>(timesTenTo power: Int = 0) -> Integer? {
    if digits.isEmpty { return 0 }
    let exponent = exponent + power
    guard (0..<40).contains(exponent), digits.count < 40 else { return nil }
    return Integer(text(zeros: exponent))
  }

  /// Returns the digits and a number of zeros, as an integer without the exponent.
  func text(zeros: Int) -> String {
    (isNegative ? "-" : "") + (digits.isEmpty ? "0" : String(decoding: digits, as: UTF8.self))
      + String(repeating: "0", count: zeros)
  }
}

// The conversion of decimals to and from trees of values.
extension Decimal {
  var tree: ValueTree {
    if isNaN { return .number(.real(.nan)) }
    let text = description
    return .number(Int128(text).map(StoredNumber.integer) ?? .text(text))
  }

  /// Decodes a number or a string; returns nil for a dictionary, which `Decimal` itself decodes.
  init?(_ tree: ValueTree) throws(ValueCodingError.Problem) {
    let text: String
    switch tree {
    case .dictionary: return nil
    case .number(let number): text = number.notation
    case .string(let value): text = value
    default: throw tree.isNot(.number)
    }
    if text.lowercased() == "nan" {
      self = .nan
    } else if let digits = DecimalDigits(text) {
      guard let value = Decimal(digits) else { throw .outOfRange(type: "Decimal") }
      self = value
    } else if case .string = tree {
      throw tree.isNot(.number)
    } else {
      throw .outOfRange(type: "Decimal")
    }
  }

  /// Creates the decimal that is exactly equal to a number; returns nil if there is none.
  private init?(_ number: DecimalDigits) {
    // The exponent is at most 127. The rest of a larger one becomes zeros at the end of the
    // mantissa, which has up to 39 digits.
    let zeros = max(number.exponent - 127, 0)
    guard number.digits.count < 40 - min(zeros, 39), number.exponent >= -128,
      let value = Decimal(string: "\(number.text(zeros: zeros))e\(number.exponent - zeros)"),
      // A mantissa of more than 128 bits was rounded.
      DecimalDigits(value.description) == number
    else { return nil }
    self = value
  }
}
