import FoundationEssentials

/// Dates as text, in a property list in XML: whole seconds of Greenwich in the Gregorian calendar.
enum PropertyListDate {
  private static let secondsPerDay: Int64 = 86_400
  /// From 1970-01-01 to 2001-01-01, where `Date` counts from.
  private static let daysToReference: Int64 = 11_323

  /// The text of a date, if there is one that stands for exactly this date.
  static func text(of date: Date) -> String? {
    let seconds = date.timeIntervalSinceReferenceDate
    guard abs(seconds) < 1e12, let whole = Int64(exactly: seconds) else { return nil }
    let days = (whole >= 0 ? whole : whole - secondsPerDay + 1) / secondsPerDay
    let (year, month, day) = civil(fromDays: days + daysToReference)
    guard (1...9999).contains(year) else { return nil }
    let second = whole - days * secondsPerDay
    let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
      + time.joined(separator: ":") + "Z"
  }

  /// The date of a text such as `2026-11-21T15:46:38Z`.
  static func date(_ text: Substring) -> Date? {
    var text = text.utf8
    let isNegative = text.first == UInt8(ascii: "-")
    if isNegative { text = text.dropFirst() }
    let digits = text.prefix { $0 != UInt8(ascii: "-") }.count
    guard (4...9).contains(digits), let year = number(&text, digits, then: "-"),
      let month = number(&text, 2, then: "-"), (1...12).contains(month),
      let day = number(&text, 2, then: "T"),
      let hour = number(&text, 2, then: ":"), hour < 24,
      let minute = number(&text, 2, then: ":"), minute < 60,
      let second = number(&text, 2, then: "Z"), second < 60, text.isEmpty
    else { return nil }
    let days = days(fromCivil: isNegative ? -year : year, month, day)
    // A day that the month does not have becomes another one.
    guard civil(fromDays: days).day == day else { return nil }
    let seconds = (days - daysToReference) * secondsPerDay + hour * 3600 + minute * 60 + second
    return Date(timeIntervalSinceReferenceDate: Double(seconds))
  }

  private static func number(
    _ text: inout Substring.UTF8View, _ digits: Int, then end: Unicode.Scalar
  ) -> Int64? {
    let number = text.prefix(digits)
    text = text.dropFirst(digits)
    guard number.count == digits, text.first == UInt8(ascii: end),
      number.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    text = text.dropFirst()
    return number.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  private static func padded(_ number: Int64, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}

// The calendar repeats itself every 400 years, which are 146,097 days. Years are counted from the
// first of March, so that the leap day is the last one.
extension PropertyListDate {
  /// Days since 1970-01-01.
  private static func days(fromCivil year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month > 2 ? year : year - 1
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let days = days + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}
