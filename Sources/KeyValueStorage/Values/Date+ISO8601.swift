import FoundationEssentials

extension Date {
  /// The moment that a text such as `2026-11-21T15:46:38Z` or `2026-11-21T16:46:38.25+01:00` tells.
  ///
  /// RFC 3339 has this form of ISO 8601. Foundation's strategy for it also takes the 30th of
  /// February, and anything at all behind the text. A leap second is not taken.
  init?(iso8601 text: String) {
    var reader = Reader(text.utf8[...])
    guard
      let year = reader.number(digits: 4), reader.skip("-"),
      let month = reader.number(digits: 2), (1...12).contains(month), reader.skip("-"),
      let day = reader.number(digits: 2), (1...Self.days(in: month, of: year)).contains(day),
      reader.skip("T"),
      let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
      let minute = reader.number(digits: 2), minute < 60, reader.skip(":"),
      let second = reader.number(digits: 2), second < 60,
      let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
    else { return nil }
    let days = Self.days(before: year, month) + day - 1 - Self.days(before: 2001, 1)
    let minutes = (days * 24 + hour) * 60 + minute - offset
    self.init(timeIntervalSinceReferenceDate: Double(minutes * 60 + second) + fraction)
  }

  private static func days(in month: Int, of year: Int) -> Int {
    let next = month == 12 ? days(before: year + 1, 1) : days(before: year, month + 1)
    return next - days(before: year, month)
  }

  /// The days of the Gregorian calendar from some fixed one to the first of a month.
  private static func days(before year: Int, _ month: Int) -> Int {
    // In years that begin in March, the leap day is the last one.
    let year = month < 3 ? year + 399 : year + 400
    let month = (month + 9) % 12
    return year * 365 + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10
  }
}

private struct Reader {
  private var bytes: Substring.UTF8View

  init(_ bytes: Substring.UTF8View) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { bytes.isEmpty }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard bytes.first == UInt8(ascii: character) else { return false }
    bytes.removeFirst()
    return true
  }

  mutating func number(digits: Int) -> Int? {
    let part = bytes.prefix(digits)
    guard part.count == digits, part.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return nil }
    bytes.removeFirst(digits)
    return Int(Substring(part))
  }

  mutating func fraction() -> Double? {
    guard skip(".") else { return 0 }
    let part = bytes.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    bytes.removeFirst(part.count)
    return part.isEmpty ? nil : Double("0." + Substring(part))
  }

  /// Minutes ahead of universal time.
  mutating func offset() -> Int? {
    if skip("Z") { return 0 }
    let isAhead = skip("+")
    guard isAhead || skip("-"), let hours = number(digits: 2), hours < 24, skip(":"),
      let minutes = number(digits: 2), minutes < 60
    else { return nil }
    return (isAhead ? 1 : -1) * (hours * 60 + minutes)
  }
}
