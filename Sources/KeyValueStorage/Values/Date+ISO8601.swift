import FoundationEssentials

extension Date {
  /// The moment that a text such as `2026-11-21T15:46:38Z` or `2026-11-21T16:46:38.25+01:00` tells.
  ///
  /// RFC 3339 has this form of ISO 8601. Foundation's strategy for it also takes the 30th of
  /// February, and anything at all behind the text. A leap second is not taken.
  init?(iso8601 text: String) {
    var reader = DateReader(text[...])
    guard
      let year = reader.number(digits: 4...4), let seconds = reader.seconds(inYear: year),
      let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
    else { return nil }
    self.init(timeIntervalSinceReferenceDate: Double(seconds - offset) + fraction)
  }
}

extension DateReader {
  fileprivate mutating func fraction() -> Double? {
    guard skip(".") else { return 0 }
    let digits = digits()
    return digits.isEmpty ? nil : Double("0." + digits)
  }

  /// Seconds ahead of universal time.
  fileprivate mutating func offset() -> Int64? {
    if skip("Z") { return 0 }
    let isAhead = skip("+")
    guard isAhead || skip("-"), let hours = number(digits: 2...2), hours < 24, skip(":"),
      let minutes = number(digits: 2...2), minutes < 60
    else { return nil }
    return (isAhead ? 60 : -60) * (hours * 60 + minutes)
  }
}
