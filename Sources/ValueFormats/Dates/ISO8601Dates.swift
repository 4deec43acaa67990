import CLibrary
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

  mutating func number(digits counts: ClosedRange<Int>) -> Int64? {
    let digits = digits()
    return counts.contains(digits.utf8.count) ? Int64(digits) : nil
  }

  private mutating func twoDigits(_ range: ClosedRange<Int32>) -> Int32? {
    guard let number = number(digits: 2...2).map({ Int32($0) }), range.contains(number) else {
      return nil
    }
    return number
  }

  /// The reference date of `Date`, 2001-01-01, in seconds since 1970.
  fileprivate static let reference: Int64 = 978_307_200

  /// Reads the rest of a date, such as `-11-21T15:46:38`, in seconds since 2001-01-01.
  mutating func seconds(inYear year: Int64) -> Int64? {
    guard skip("-"), let month = twoDigits(1...12), skip("-"), let day = twoDigits(1...31),
      skip("T"), let hour = twoDigits(0...23), skip(":"), let minute = twoDigits(0...59),
      skip(":"), let second = twoDigits(0...59)
    else { return nil }
    var date = unsafe tm()
    unsafe date.tm_year = Int32(year - 1900)
    unsafe date.tm_mon = month - 1
    unsafe date.tm_mday = day
    let seconds = unsafe Int64(timegm(&date)) + Int64((hour * 60 + minute) * 60 + second)
    // A day that the month does not have becomes one of the next month.
    return unsafe date.tm_mday == day ? seconds - Self.reference : nil
  }

  /// Reads the fraction of a second, or 0 if there is none.
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
    return (isAhead ? 60 : -60) * Int64(hours * 60 + minutes)
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
    var (time, moment) = (unsafe tm(), time_t(whole + DateReader.reference))
    unsafe gmtime_r(&moment, &time)
    let year = unsafe String(11_900 + time.tm_year).dropFirst()
    let parts = unsafe [time.tm_mon + 1, time.tm_mday, time.tm_hour, time.tm_min, time.tm_sec]
      .map { String(100 + $0).dropFirst() }
    return "\(year)-\(parts[0])-\(parts[1])T\(parts[2]):\(parts[3]):\(parts[4])Z"
  }

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
