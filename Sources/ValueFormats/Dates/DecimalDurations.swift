/// The notation of durations: a number of seconds.
extension Duration {
  /// The exact number of seconds, such as `90` or `-0.25`, with at most 18 digits of a fraction.
  private var decimalSeconds: String {
    let scale = UInt128(1_000_000_000_000_000_000)
    let (whole, fraction) = attoseconds.magnitude.quotientAndRemainder(dividingBy: scale)
    let sign = attoseconds < 0 ? "-" : ""
    if fraction == 0 { return "\(sign)\(whole)" }
    let digits = String(fraction)
    let zeros = String(repeating: "0", count: 18 - digits.utf8.count)
    let end = digits.lastIndex { $0 != "0" }!
    return "\(sign)\(whole).\(zeros)\(digits[...end])"
  }

  /// The number of seconds with all of its digits, for the text formats.
  package var number: StoredNumber {
    let text = decimalSeconds
    return Int128(text).map(StoredNumber.integer) ?? .text(text)
  }

  /// The form in a binary property list, whose numbers are integers and `Double`s.
  ///
  /// A number that no `Double` identifies is a string, because a rounded one would not come back.
  var inBinaryPropertyList: ValueTree {
    guard case .text(let text) = number else { return .number(number) }
    if let real = Double(text), StoredNumber.real(real).duration == self {
      return .number(.real(real))
    }
    return .string(text)
  }
}

extension StoredNumber {
  /// The duration of this number of seconds, to the nearest attosecond; nil if it is out of range.
  ///
  /// A `Double` represents the decimal of its description, so that 0.1 is exactly 100 ms.
  var duration: Duration? {
    let text =
      switch self {
      case .integer(let integer): integer.description
      case .real(let real): real.description
      case .float(let float): float.description
      case .text(let text): text
      }
    return DecimalNumber(text)?.rounded(times: 18).map { Duration(attoseconds: $0) }
  }
}
