import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Dates in ISO 8601, with as many digits as come back exactly.
struct DateNotationTests {
  private static let zeros = String(repeating: "0", count: 323)
  private static let nines = String(repeating: "9", count: 323)

  @Test(arguments: [
    (0, "2001-01-01T00:00:00Z"), (-0.0, "2001-01-01T00:00:00Z"), (-1, "2000-12-31T23:59:59Z"),
    (817_031_628.438, "2026-11-22T09:13:48.438Z"), (0.5, "2001-01-01T00:00:00.5Z"),
    (-0.5, "2000-12-31T23:59:59.5Z"), (-0.75, "2000-12-31T23:59:59.25Z"),
    (-1.000001, "2000-12-31T23:59:58.999999Z"), (0.1, "2001-01-01T00:00:00.1Z"),
    (0.0001, "2001-01-01T00:00:00.0001Z"), (0.00001, "2001-01-01T00:00:00.00001Z"),
    (1.5e-7, "2001-01-01T00:00:00.00000015Z"), (-1.5e-7, "2000-12-31T23:59:59.99999985Z"),
    (730_900_800.25, "2024-02-29T12:00:00.25Z"), (-26_524_799.75, "2000-02-29T00:00:00.25Z"),
    (-3_182_198_400.5, "1900-02-28T23:59:59.5Z"), (-63_113_904_000, "0001-01-01T00:00:00Z"),
    ((-63_113_904_000).nextUp, "0001-01-01T00:00:00.00001Z"),
    (252_423_993_599, "9999-12-31T23:59:59Z"),
    (252_423_993_600.0.nextDown, "9999-12-31T23:59:59.99997Z"),
    (63_113_904_000, "4001-01-01T00:00:00Z"),
    (.leastNonzeroMagnitude, "2001-01-01T00:00:00.\(zeros)5Z"),
    (-.leastNonzeroMagnitude, "2000-12-31T23:59:59.\(nines)5Z"),
  ])
  func datesOfTheCalendarAreText(_ seconds: Double, _ text: String) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    #expect(date.iso8601 == text)
    #expect(Date(iso8601: text) == date)
    #expect(try JSONFormat().encode(.date(date)) == Array("\"\(text)\"".utf8))
    let element = seconds == seconds.rounded() ? "date" : "string"
    #expect(
      try XMLPropertyListFormat().encode(.date(date))
        == Array("<\(element)>\(text)</\(element)>".utf8))
  }

  @Test(arguments: [
    (252_423_993_600, "252423993600.0"), ((-63_113_904_000).nextDown, "-63113904000.00001"),
    (Date.distantPast.timeIntervalSinceReferenceDate, "-63114076800.0"), (1e300, "1e+300"),
    (.nan, "\"NaN\""), (.infinity, "\"Infinity\""), (-.infinity, "\"-Infinity\""),
  ])
  func datesOfNoCalendarYearAreSeconds(_ seconds: Double, _ text: String) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    #expect(date.iso8601 == nil)
    #expect(try JSONFormat().encode(.date(date)) == Array(text.utf8))
  }

  /// Writes and reads dates in a format, in the forms of this version and of older ones.
  @Test(arguments: KeyValueFormat.allCases) func datesComeBackExactly(
    _ format: KeyValueFormat
  ) throws {
    var random = SplitMix64()
    for _ in 0..<Campaign.size(sample: 1_600, full: 100_000) {
      let date = random.once(in: 4) ? random.dateOfYears() : random.date()
      let comment: Comment = "\(date.timeIntervalSinceReferenceDate), seed \(random.seed)"
      let seconds = ValueTree.number(.real(date.timeIntervalSinceReferenceDate))
      for tree in [.date(date), seconds] {
        let read = try format.coding.decode(try format.coding.encode(tree)[...])
        try #require(try TreeDecoder().decode(Date.self, from: read) == date, comment)
      }
      guard let text = date.iso8601, text.contains(".") else { continue }
      // One digit less is another date.
      let shorter = text.dropLast(2)
      try #require(
        Date(iso8601: (shorter.last == "." ? shorter.dropLast() : shorter) + "Z") != date)
      try #require(text.dropLast().last != "0", comment)
    }
  }

  /// Digits that are not needed change nothing, as far as a `Double` distinguishes them.
  @Test func textIsReadAsTheNearestDate() throws {
    let half = "2026-11-22T09:13:48.43800001192092895507"
    let date = Date(timeIntervalSinceReferenceDate: 817_031_628.438)
    #expect(Date(iso8601: "2026-11-22T09:13:48.438000000000000Z") == date)
    #expect(Date(iso8601: "2026-11-22T10:13:48.43800001+01:00") == date)
    #expect(try #require(Date(iso8601: half + "9Z")).timeIntervalSince(date) < 1.3e-7)
    #expect(Date(iso8601: "2000-12-31T23:59:59.000Z") == Date(timeIntervalSinceReferenceDate: -1))
    let long = String(repeating: "9", count: 100_000)
    #expect(
      Date(iso8601: "2000-12-31T23:59:58.\(long)Z") == Date(timeIntervalSinceReferenceDate: -1))
  }

  @Test(.enabled(if: Python.parsesISO8601, "python3 is missing, or older than 3.11"))
  func pythonParsesTheSameDates() throws {
    var random = SplitMix64()
    var lines: [String] = []
    while lines.count < Campaign.size(sample: 1_600, full: 100_000) {
      let microseconds = random.number(-3_000_000_000_000_000..<3_000_000_000_000_000)
      let isWhole = random.once(in: 2)
      let date =
        isWhole
        ? Date(timeIntervalSinceReferenceDate: Double(microseconds) / 1e6)
        : random.once(in: 2) ? random.dateOfYears() : random.date()
      guard let text = date.iso8601 else { continue }
      let bits = String(date.timeIntervalSinceReferenceDate.bitPattern, radix: 16)
      lines.append("\(text) \(bits) \(isWhole ? "\(microseconds)" : "")")
    }
    let file = try TestFile()
    try file.write(Array(lines.joined(separator: "\n").utf8))
    try Python.run(
      """
      import datetime, fractions, math, struct, sys
      epoch = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
      def parse(text): return (datetime.datetime.fromisoformat(text) - epoch) // datetime.timedelta(microseconds=1)
      for line in open(sys.argv[1]):
          text, bits, whole = line.rstrip("\\n").split(" ")
          start, _, digits = text[:-1].partition(".")
          exact = fractions.Fraction(parse(start + "Z"), 10**6) + fractions.Fraction(int(digits or 0), 10**len(digits))
          assert float(exact) == struct.unpack(">d", bytes.fromhex(bits.zfill(16)))[0], line
          assert parse(text) == math.floor(exact * 10**6), line
          assert not whole or parse(text) == int(whole), line
      """, [file.path])
  }
}

extension SplitMix64 {
  /// A date in the years 1 to 9999, with any fraction of a second.
  fileprivate mutating func dateOfYears() -> Date {
    let seconds =
      once(in: 2)
      ? Double.random(in: -63_113_904_000..<252_423_993_600, using: &self)
      : Double.random(in: -1...1, using: &self) * one(of: [1, 1e-4, 1e-9, 1e-30])
    return Date(timeIntervalSinceReferenceDate: seconds)
  }
}
