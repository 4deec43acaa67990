import FoundationEssentials
import Testing

@testable import KeyValueStorage

/// Spellings of values that Locket does not write, or no longer.
struct HandwrittenValueTests {
  @Test(
    arguments: [
      (.json, #"{"date": "2026-11-21T16:46:38.250+01:00", "decimal": 129.90, "timeout": "2h30m"}"#),
      (
        .xml,
        """
        <plist version="1.0"><dict><key>date</key><string>2026-11-21T16:46:38.250+01:00</string>
        <key>decimal</key><real>129.90</real><key>timeout</key><string>2h30m</string></dict></plist>
        """
      ),
    ] as [(KeyValueFormat, String)])
  func spellingIsKeptUntilTheKeyIsSet(_ format: KeyValueFormat, _ text: String) throws {
    let file = try TestFile(format)
    try file.overwrite(text)
    let store = file.open()
    let date = StoredValue(wrappedValue: Date.distantPast, "date", in: store)
    let decimal = StoredValue(wrappedValue: Decimal(), "decimal", in: store)
    let timeout = StoredValue(wrappedValue: Duration.zero, "timeout", in: store)
    #expect(date.wrappedValue == Date(timeIntervalSinceReferenceDate: 816_968_798.25))
    #expect(decimal.wrappedValue == Decimal(string: "129.9"))
    #expect(timeout.wrappedValue == .seconds(9000))
    StoredValue(wrappedValue: 0, "other", in: store).wrappedValue = 1
    for spelling in ["2026-11-21T16:46:38.250+01:00", "129.90", "2h30m"] {
      #expect(try file.text.contains(spelling))
    }
    timeout.wrappedValue += .milliseconds(500)
    #expect(try !file.text.contains("2h30m") && file.text.contains("9000.5"))
    date.wrappedValue += 0.5
    #expect(try file.text.contains("2026-11-21T15:46:38.75Z") && file.text.contains("129.90"))
  }

  private struct Times: Codable, Equatable, Sendable {
    let date: Date
    let timeout: Duration
  }

  /// Dates were seconds since 2001, and durations had the form of their `Codable` conformance.
  @Test(
    arguments: [
      (.json, #"{"times": {"date": 816968798.5, "timeout": [0, 1500000000000000000]}}"#),
      (
        .xml,
        """
        <plist version="1.0"><dict><key>times</key><dict><key>date</key><real>816968798.5</real>
        <key>timeout</key><array><integer>0</integer><integer>1500000000000000000</integer></array>
        </dict></dict></plist>
        """
      ),
    ] as [(KeyValueFormat, String)])
  func formOfEarlierVersionsIsRead(_ format: KeyValueFormat, _ text: String) throws {
    let file = try TestFile(format)
    try file.overwrite(text)
    let date = Date(timeIntervalSinceReferenceDate: 816_968_798.5)
    #expect(
      try file.open().value(of: "times") == Times(date: date, timeout: .milliseconds(1500)))
  }
}
