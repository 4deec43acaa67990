package import FoundationEssentials

/// The text of dates in an XML property list: whole seconds, in UTC and the Gregorian calendar.
package enum PropertyListDate {
  /// Returns the text of a date; nil if the text cannot represent the date exactly.
  package static func text(of date: Date) -> String? {
    let seconds = date.timeIntervalSinceReferenceDate
    // The years 1 to 9999.
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
  static func date(_ text: Substring) -> Date? {
    var reader = DateReader(text)
    let sign: Int64 = reader.skip("-") ? -1 : 1
    guard let year = reader.number(digits: 4...9),
      let seconds = reader.seconds(inYear: sign * year), reader.skip("Z"), reader.isAtEnd
    else { return nil }
    return Date(timeIntervalSinceReferenceDate: Double(seconds))
  }
}
