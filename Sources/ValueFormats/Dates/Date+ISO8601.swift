import FoundationEssentials

extension Date {
  /// Parses a date such as `2026-11-21T15:46:38Z` or `2026-11-21T16:46:38.25+01:00`.
  ///
  /// This profile of ISO 8601 is defined by RFC 3339. Leap seconds are not accepted. Foundation's
  /// parser is not used, because it also accepts February 30 and any text at the end.
  init?(iso8601 text: String) {
    var reader = DateReader(text[...])
    guard
      let year = reader.number(digits: 4...4), let seconds = reader.seconds(inYear: year),
      let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
    else { return nil }
    self.init(timeIntervalSinceReferenceDate: Double(seconds - offset) + fraction)
  }
}
