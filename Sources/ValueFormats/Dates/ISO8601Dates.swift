package import FoundationEssentials

/// A reader of dates in ISO 8601 notation.
struct DateReader {
  private var bytes: Substring.UTF8View

  init(_ string: Substring) { bytes = string.utf8 }

  var isAtEnd: Bool { bytes.isEmpty }

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

  /// Reads a number; returns nil if its number of digits is out of range.
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

  /// Reads the fraction of a second; returns 0 if there is none, and nil if it is not valid.
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

extension Date {
  /// Parses a date such as `2026-11-21T15:46:38Z` or `2026-11-21T16:46:38.25+01:00`.
  ///
  /// This profile of ISO 8601 is defined by RFC 3339. Leap seconds are not accepted. Foundation's
  /// parser is not used, because it also accepts February 30 and any characters after the date.
  init?(iso8601 string: String) {
    var reader = DateReader(string[...])
    guard
      let year = reader.number(digits: 4...4), let seconds = reader.seconds(inYear: year),
      let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
    else { return nil }
    self.init(timeIntervalSinceReferenceDate: Double(seconds - offset) + fraction)
  }
}

/// The notation of dates in an XML property list: UTC, in whole seconds.
package enum PropertyListDate {
  /// Returns a date as a string; nil if the notation cannot represent the date exactly.
  package static func string(of date: Date) -> String? {
    let seconds = date.timeIntervalSinceReferenceDate
    // The range is that of the years 1 to 9999.
    guard (-63_113_904_000..<252_423_993_600).contains(seconds), let whole = Int64(exactly: seconds)
    else { return nil }
    let (days, second) = (whole + GregorianDays.reference * 86_400)
      .quotientAndRemainder(dividingBy: 86_400)
    let (year, month, day) = GregorianDays.date(days)
    func padded(_ number: Int64) -> Substring { String(100 + number).dropFirst() }
    return "\(String(10_000 + year).dropFirst())-\(padded(month))-\(padded(day))"
      + "T\(padded(second / 3600)):\(padded(second / 60 % 60)):\(padded(second % 60))Z"
  }

  /// Parses a date such as `2026-11-21T15:46:38Z`.
  static func date(_ string: Substring) -> Date? {
    var reader = DateReader(string)
    let sign: Int64 = reader.skip("-") ? -1 : 1
    // Foundation counts the sign as one of four characters.
    guard let year = reader.number(digits: sign < 0 ? 3...9 : 4...9),
      let seconds = reader.seconds(inYear: sign * year), reader.skip("Z"), reader.isAtEnd
    else { return nil }
    return Date(timeIntervalSinceReferenceDate: Double(seconds))
  }
}

/// The numbering of the days of the proleptic Gregorian calendar.
///
/// Month 0 is March, so that a leap day is the last day of the year. Days are counted from the year
/// -10⁹, so that the numbers are positive.
enum GregorianDays {
  /// The number of the day 2001-01-01, the reference date of `Date`.
  static let reference = first(ofMonth: 10, in: 2000)

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

  static func date(_ number: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // The mean length of a year gives an estimate that is never too small.
    var year = number * 400 / 146_097 - 999_999_999
    while first(ofMonth: 0, in: year) > number { year -= 1 }
    let month = (5 * (number - first(ofMonth: 0, in: year)) + 2) / 153
    let day = number - first(ofMonth: month, in: year) + 1
    return month < 10 ? (year, month + 3, day) : (year + 1, month - 9, day)
  }
}
