/// A day of the Gregorian calendar, as if there had always been this one.
struct GregorianDay: Hashable {
  let year: Int64
  let month: Int64
  let day: Int64

  /// Nil if the month is none of the year, or the day none of the month.
  init?(year: Int64, month: Int64, day: Int64) {
    guard (1...12).contains(month) else { return nil }
    self.year = year
    self.month = month
    self.day = day
    // A day that the month does not have is one of another month.
    guard GregorianDay(daysSinceReference: daysSinceReference) == self else { return nil }
  }
}

// The calendar repeats itself every 400 years. Days are counted from 2000-03-01, and years from
// March, so that the leap day is the last one of a year, of four years, and of 400.
extension GregorianDay {
  private static let daysOf400Years: Int64 = 146_097
  /// From 2000-03-01 to 2001-01-01, where `Date` counts from.
  private static let daysToReference: Int64 = 306

  init(daysSinceReference: Int64) {
    let (era, dayOfEra) = (daysSinceReference + Self.daysToReference)
      .flooredQuotientAndRemainder(dividingBy: Self.daysOf400Years)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - Self.days(before: yearOfEra)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    year = 2000 + era * 400 + yearOfEra + (monthFromMarch < 10 ? 0 : 1)
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    day = dayOfYear - Self.days(beforeMonthFromMarch: monthFromMarch) + 1
  }

  var daysSinceReference: Int64 {
    let yearFromMarch = month > 2 ? year : year - 1
    let (era, yearOfEra) = (yearFromMarch - 2000).flooredQuotientAndRemainder(dividingBy: 400)
    let dayOfYear = Self.days(beforeMonthFromMarch: (month + 9) % 12) + day - 1
    return era * Self.daysOf400Years + Self.days(before: yearOfEra) + dayOfYear
      - Self.daysToReference
  }

  private static func days(before yearOfEra: Int64) -> Int64 {
    yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100
  }

  private static func days(beforeMonthFromMarch month: Int64) -> Int64 { (153 * month + 2) / 5 }
}

extension Int64 {
  /// As `quotientAndRemainder(dividingBy:)`, but with a remainder that is never negative.
  func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64)
  {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
