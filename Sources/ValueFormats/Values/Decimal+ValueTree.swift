import FoundationEssentials

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
    case .number(.integer(let value)): text = value.description
    case .number(.real(let value)): text = value.description
    case .number(.float(let value)): text = value.description
    case .number(.text(let value)), .string(let value): text = value
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
