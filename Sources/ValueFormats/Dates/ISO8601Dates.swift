package import FoundationEssentials

/// A reader of dates in ISO 8601 notation.
struct DateReader {
  private var bytes: Substring.UTF8View

  init(_ string: Substring) { bytes = string.utf8 }

  var isAtEnd: Bool { bytes.isEmpty }

  /// Skips a character, or returns false if it is not next.
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard bytes.first == UInt8(ascii: character) else { return false }
    bytes.removeFirst()
    return true
  }

  private mutating func digits() -> Substring {
    let digits = bytes.prefix(while: \.isDigit)
    bytes = bytes[digits.endIndex...]
    return Substring(digits)
  }

  /// Reads a number; returns nil unless the number of its digits is in the range.
  mutating func number(digits counts: ClosedRange<Int>) -> Int64? {
    let digits = digits()
    return counts.contains(digits.utf8.count) ? Int64(digits) : nil
  }

  private mutating func twoDigits(_ range: ClosedRange<Int64>) -> Int64? {
    guard let number = number(digits: 2...2), range.contains(number) else { return nil }
    return number
  }

  /// Reads the rest of a date, such as `-11-21T15:46:38`, in seconds since 2001-01-01.
  mutating func seconds(inYear year: Int64) -> Int64? {
    guard skip("-"), let month = twoDigits(1...12), skip("-"), let day = twoDigits(1...31),
      let days = GregorianDays.number(year, month, day),
      skip("T"), let hour = twoDigits(0...23), skip(":"), let minute = twoDigits(0...59),
      skip(":"), let second = twoDigits(0...59)
    else { return nil }
    return (((days - GregorianDays.reference) * 24 + hour) * 60 + minute) * 60 + second
  }

  /// Reads the digits of the fraction of a second, without zeros at the end; empty without any.
  mutating func fraction() -> ArraySlice<UInt8>? {
    guard skip(".") else { return [] }
    let digits = Array(digits().utf8)
    if digits.isEmpty { return nil }
    let last = digits.lastIndex { $0 != UInt8(ascii: "0") }
    return last.map { digits[...$0] } ?? []
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

extension Date {
  /// Parses a date of RFC 3339, such as `2026-11-21T16:46:38.25+01:00`, without leap seconds.
  ///
  /// Foundation's parser also accepts February 30 and any characters after the date.
  init?(iso8601 string: String) {
    var reader = DateReader(string[...])
    guard
      let year = reader.number(digits: 4...4), let seconds = reader.seconds(inYear: year),
      var fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
    else { return nil }
    var whole = seconds - offset
    let isNegative = whole < 0 && !fraction.isEmpty
    if isNegative { (whole, fraction) = (-(whole + 1), fraction.complement) }
    // A sum of the whole seconds and the fraction would be rounded twice.
    let text = "\(isNegative ? "-" : "")\(whole).\(String(decoding: fraction, as: UTF8.self))0"
    guard let interval = Double(text) else { return nil }
    self.init(timeIntervalSinceReferenceDate: interval)
  }

  /// The date in UTC, such as `2026-11-21T15:46:38.25Z`, with the fewest digits that restore it;
  /// nil outside the years 1 to 9999.
  package var iso8601: String? {
    let seconds = timeIntervalSinceReferenceDate
    guard (-63_113_904_000..<252_423_993_600).contains(seconds),
      var fraction = seconds.fractionDigits
    else { return nil }
    if seconds < 0 { fraction = fraction.complement }
    let (days, second) = (Int64(seconds.rounded(.down)) + GregorianDays.reference * 86_400)
      .quotientAndRemainder(dividingBy: 86_400)
    let (year, month, day) = GregorianDays.date(days)
    func padded(_ number: Int64) -> Substring { String(100 + number).dropFirst() }
    return "\(String(10_000 + year).dropFirst())-\(padded(month))-\(padded(day))"
      + "T\(padded(second / 3600)):\(padded(second / 60 % 60)):\(padded(second % 60))"
      + (fraction.isEmpty ? "Z" : ".\(String(decoding: fraction, as: UTF8.self))Z")
  }

  /// Parses a date of an XML property list: UTC, in whole seconds.
  init?(propertyList string: Substring) {
    var reader = DateReader(string)
    let sign: Int64 = reader.skip("-") ? -1 : 1
    // Foundation counts the sign as one of four characters.
    guard let year = reader.number(digits: sign < 0 ? 3...9 : 4...9),
      let seconds = reader.seconds(inYear: sign * year), reader.skip("Z"), reader.isAtEnd
    else { return nil }
    self.init(timeIntervalSinceReferenceDate: Double(seconds))
  }
}

extension Double {
  /// The digits after the decimal point, without zeros at the end; nil unless the number is finite.
  fileprivate var fractionDigits: ArraySlice<UInt8>? {
    guard let number = DecimalDigits(description) else { return nil }
    let count = max(-number.exponent, 0)
    let zeros = Array(
      repeating: UInt8(ascii: "0"), count: max(count - number.digits.count, 0))
    return (zeros + number.digits).suffix(count)
  }
}

extension ArraySlice<UInt8> {
  /// The decimal digits of 1 minus this fraction, whose last digit is not zero.
  fileprivate var complement: ArraySlice<UInt8> {
    var digits = self
    for index in digits.indices {
      let minuend: UInt8 = index == endIndex - 1 ? 10 : 9
      digits[index] = 2 * UInt8(ascii: "0") + minuend - digits[index]
    }
    return digits
  }
}

/// The numbering of the days of the proleptic Gregorian calendar, as in Foundation.
///
/// The functions of the C library also count the leap seconds of a time zone such as `right/UTC`.
/// Month 0 is March, so that a leap day is the last day of the year. Days are counted from the year
/// -10⁹, so that the numbers are positive.
enum GregorianDays {
  /// The number of the day 2001-01-01, the reference date of `Date`.
  static let reference = first(ofMonth: 10, in: 2000)

  /// Returns the number of the first day of a month; month 12 is month 0 of the next year.
  private static func first(ofMonth month: Int64, in year: Int64) -> Int64 {
    let year = year + 1_000_000_000 + month / 12
    return year * 365 + year / 4 - year / 100 + year / 400 + (153 * (month % 12) + 2) / 5
  }

  /// Returns the number of a day, or nil if the date does not exist.
  static func number(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
    let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
    let number = first(ofMonth: month, in: year) + day - 1
    return day > 0 && number < first(ofMonth: month + 1, in: year) ? number : nil
  }

  /// Returns the date of the day with a number; the month is 1 to 12.
  static func date(_ number: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // The mean length of a year gives an estimate that is never too small.
    var year = number * 400 / 146_097 - 999_999_999
    while first(ofMonth: 0, in: year) > number { year -= 1 }
    let month = (5 * (number - first(ofMonth: 0, in: year)) + 2) / 153
    let day = number - first(ofMonth: month, in: year) + 1
    return month < 10 ? (year, month + 3, day) : (year + 1, month - 9, day)
  }
}
