import CLibrary
import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage

/// Settings files of an earlier version, which must remain readable and be written identically.
///
/// Until the format is final, `LOCKET_GOLDEN=write swift test --filter GoldenSettings` writes them.
struct GoldenSettingsTests {
  private typealias Golden = Codable & Equatable & Sendable
  private enum Shape: Codable, Equatable, Sendable { case circle(radius: Int), none }
  private enum Size: String, Codable, Sendable { case small }
  private struct Server: Codable, Equatable, Sendable {
    var host: String
    var ports: [Int]
    var since: Date?
    var flags: [String: Bool]
    var key: Data
  }

  private static let values: KeyValuePairs<String, any Golden> = [
    "true": true, "int": 42, "negative": Int64.min, "unsigned": UInt64.max, "wide": UInt128.max,
    "byte": UInt8.max, "double": 0.8, "whole": 1.0, "large": 1e20, "float": Float(0.1),
    "infinity": -Double.infinity, "text": "text", "empty": "", "emoji": "🗝️ ß \u{301}",
    "zero": "a\0b", "null text": "$null", "markup": "<&>\"'\r\n\t",
    "date": Date(timeIntervalSince1970: 1_795_275_998),
    "fraction": Date(timeIntervalSince1970: 1_795_275_998.5), "data": Data([1, 2, 255]),
    "no data": Data(), "url": URL(string: "https://example.com/a?b=c#d"),
    "optionals": [1, nil] as [Int?], "nested optional": [Int??.some(nil)],
    "dictionary": ["b": 1, "a": 2], "int keys": [10: "x"], "set": Set([3]),
    "shape": Shape.circle(radius: 1), "no shape": Shape.none, "size": Size.small,
    "server": Server(
      host: "example.com", ports: [80, 443], since: Date(timeIntervalSince1970: 0),
      flags: ["on": true, "off": false], key: Data(0...255)), "deep": [[[[["deep"]]]]],
    "duration": Duration.milliseconds(1500), "short duration": Duration(attoseconds: 1),
    "least duration": Duration(attoseconds: .min), "distant past": Date.distantPast,
  ]

  /// The keys that files of the first form lack.
  private static let newKeys: Set = [
    "duration", "short duration", "least duration", "distant past",
  ]

  private static let isWriting = ProcessInfo.processInfo.environment["LOCKET_GOLDEN"] == "write"

  /// The golden file of a format; that of the first form, in which dates in text formats were
  /// numbers, is only read.
  private func fixture(_ format: KeyValueFormat, isFirst: Bool = false) -> URL {
    Fixture.url("golden-\(format)\(isFirst ? "-1" : "")")
  }

  private func isRead<Value: Golden>(
    _ value: Value, of key: String, in store: KeyValueStore
  ) throws -> Bool { try store.value(of: key) == value }

  @Test(arguments: KeyValueFormat.allCases, [false, true])
  func goldenSettingsAreRead(_ format: KeyValueFormat, isFirst: Bool) throws {
    let file = try TestFile(format)
    try Data(contentsOf: fixture(format, isFirst: isFirst)).write(to: URL(filePath: file.path))
    let store = file.open()
    let values = Self.values.filter { !isFirst || !Self.newKeys.contains($0.key) }
    #expect(try store.keys() == values.map(\.key).sorted())
    for (key, value) in values { #expect(try isRead(value, of: key, in: store), "\(key)") }
  }

  @Test(arguments: KeyValueFormat.allCases)
  func goldenSettingsAreWrittenIdentically(_ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    let store = file.open()
    for (key, value) in Self.values { try store.set(value, for: key) }
    if Self.isWriting { try Data(file.bytes).write(to: fixture(format)) }
    #expect(try Data(file.bytes) == Data(contentsOf: fixture(format)))
  }

  /// The C library counts the leap seconds of this time zone.
  @Test func dateIsStoredWithoutLeapSeconds() async {
    await #expect(processExitsWith: .success) {
      // The call copies the text, and no other thread uses the environment yet.
      unsafe setenv("TZ", "right/UTC", 1)
      recordingErrors {
        let file = try TestFile(.xml)
        let date = Date(timeIntervalSinceReferenceDate: 504_921_600)
        try file.open().set(date, for: "date")
        #expect(try file.text.contains("<date>2017-01-01T00:00:00Z</date>"))
      }
    }
  }
}
