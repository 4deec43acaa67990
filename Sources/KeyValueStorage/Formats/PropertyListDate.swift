import FoundationEssentials

/// Dates as text, in a property list in XML: whole seconds of Greenwich in the Gregorian calendar.
enum PropertyListDate {
  /// The text of a date, if there is one that stands for exactly this date.
  static func text(of date: Date) -> String? {
    let seconds = date.timeIntervalSinceReferenceDate
    guard abs(seconds) < 1e12, let whole = Int64(exactly: seconds) else { return nil }
    let (days, second) = whole.flooredQuotientAndRemainder(dividingBy: 86_400)
    let day = GregorianDay(daysSinceReference: days)
    guard (1...9999).contains(day.year) else { return nil }
    let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }
    return "\(padded(day.year, 4))-\(padded(day.month, 2))-\(padded(day.day, 2))T"
      + time.joined(separator: ":") + "Z"
  }

  /// The date of a text such as `2026-11-21T15:46:38Z`.
  static func date(_ text: Substring) -> Date? {
    var reader = DateReader(text)
    let sign: Int64 = reader.skip("-") ? -1 : 1
    guard let year = reader.number(digits: 4...9),
      let seconds = reader.seconds(inYear: sign * year), reader.skip("Z"), reader.isAtEnd
    else { return nil }
    return Date(timeIntervalSinceReferenceDate: Double(seconds))
  }

  private static func padded(_ number: Int64, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}
