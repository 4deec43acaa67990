/// The numbering of the days of the proleptic Gregorian calendar.
///
/// Internally, a year begins in March, so that a leap day is the last day of the year. Month 0 is
/// March, and month 12 is March of the next year. Days are counted from the year -10⁹, so that the
/// numbers are positive.
enum GregorianDays {
  /// The number of the day 2001-01-01, the reference date of `Date`.
  static let reference = first(ofMonth: 10, in: 2000)

  private static func first(ofMonth month: Int64, in year: Int64) -> Int64 {
    let year = year + 1_000_000_000 + month / 12
    return year * 365 + year / 4 - year / 100 + year / 400 + (153 * (month % 12) + 2) / 5
  }

  /// Returns the number of a day; nil if the date does not exist.
  static func number(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
    let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
    let number = first(ofMonth: month, in: year) + day - 1
    return day > 0 && number < first(ofMonth: month + 1, in: year) ? number : nil
  }

  /// Returns the date of a day.
  static func date(_ number: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // The mean length of a year gives an estimate that is never too small.
    var year = number * 400 / 146_097 - 999_999_999
    while first(ofMonth: 0, in: year) > number { year -= 1 }
    let month = (5 * (number - first(ofMonth: 0, in: year)) + 2) / 153
    let day = number - first(ofMonth: month, in: year) + 1
    return month < 10 ? (year, month + 3, day) : (year + 1, month - 9, day)
  }
}
