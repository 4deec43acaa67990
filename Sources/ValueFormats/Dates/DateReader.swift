/// A reader of the text of a date.
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

  /// Reads all digits at the current position.
  private mutating func digits() -> Substring {
    let digits = bytes.prefix(while: \.isDigit)
    bytes = bytes[digits.endIndex...]
    return Substring(digits)
  }

  /// Reads a number; nil if it has a different number of digits.
  mutating func number(digits counts: ClosedRange<Int>) -> Int64? {
    let digits = digits()
    return counts.contains(digits.utf8.count) ? Int64(digits) : nil
  }

  private mutating func twoDigits(_ range: ClosedRange<Int64>) -> Int64? {
    guard let number = number(digits: 2...2), range.contains(number) else { return nil }
    return number
  }

  /// Reads the rest of a date and time after the year, such as `-11-21T15:46:38`.
  ///
  /// - Returns: The number of seconds since 2001-01-01, the reference date of `Date`.
  mutating func seconds(inYear year: Int64) -> Int64? {
    guard skip("-"), let month = twoDigits(1...12), skip("-"), let day = twoDigits(1...31),
      let days = GregorianDays.number(year, month, day),
      skip("T"), let hour = twoDigits(0...23), skip(":"), let minute = twoDigits(0...59),
      skip(":"), let second = twoDigits(0...59)
    else { return nil }
    return (((days - GregorianDays.reference) * 24 + hour) * 60 + minute) * 60 + second
  }

  /// Reads the fraction of a second; returns 0 if there is none.
  mutating func fraction() -> Double? {
    guard skip(".") else { return 0 }
    let digits = digits()
    return digits.isEmpty ? nil : Double("0." + digits)
  }

  /// Reads an offset from UTC, in seconds.
  mutating func offset() -> Int64? {
    if skip("Z") { return 0 }
    let isAhead = skip("+")
    guard isAhead || skip("-"), let hours = twoDigits(0...23), skip(":"),
      let minutes = twoDigits(0...59)
    else { return nil }
    return (isAhead ? 60 : -60) * (hours * 60 + minutes)
  }
}
