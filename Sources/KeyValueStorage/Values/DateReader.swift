/// Takes the text of a date apart from its front, as all forms of ISO 8601 have its parts.
struct DateReader {
  private var bytes: Substring.UTF8View

  init(_ text: Substring) {
    bytes = text.utf8
  }

  var isAtEnd: Bool { bytes.isEmpty }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard bytes.first == UInt8(ascii: character) else { return false }
    bytes.removeFirst()
    return true
  }

  /// Passes over all digits that come next.
  mutating func digits() -> Substring {
    let digits = bytes.prefix(while: \.isDigit)
    bytes = bytes[digits.endIndex...]
    return Substring(digits)
  }

  /// Reads a number with as many digits.
  mutating func number(digits counts: ClosedRange<Int>) -> Int64? {
    let digits = digits()
    return counts.contains(digits.utf8.count) ? Int64(digits) : nil
  }

  /// Reads what follows a year, as in `-11-21T15:46:38`.
  ///
  /// - Returns: Seconds since 2001-01-01, where `Date` counts from.
  mutating func seconds(inYear year: Int64) -> Int64? {
    guard
      skip("-"), let month = number(digits: 2...2), skip("-"), let day = number(digits: 2...2),
      let date = GregorianDay(year: year, month: month, day: day),
      skip("T"), let hour = number(digits: 2...2), hour < 24,
      skip(":"), let minute = number(digits: 2...2), minute < 60,
      skip(":"), let second = number(digits: 2...2), second < 60
    else { return nil }
    return ((date.daysSinceReference * 24 + hour) * 60 + minute) * 60 + second
  }
}
