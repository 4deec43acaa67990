import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Round trips from a value to the bytes of a file and back.
@Suite struct ExactRoundTripTests {
  private func reread<Value: Codable>(_ value: Value, in format: KeyValueFormat) throws -> Value {
    let bytes = try format.coding.encode(TreeEncoder().encode(value))
    return try TreeDecoder().decode(Value.self, from: format.coding.decode(bytes[...]))
  }

  /// Writes each value alone, as a whole file, and with others in one file.
  @Test(arguments: KeyValueFormat.allCases)
  func anyValueComesBackExactly(_ format: KeyValueFormat) throws {
    let coding = format.coding
    for file in 0..<UInt64(Campaign.size(sample: 6, full: 2000)) {
      var expected: [StoredKey: RandomValue] = [:]
      var entries: [StoredKey: KeyValueEntry] = [:]
      for seed in file * 50..<file * 50 + 50 {
        var random = SeededGenerator(seed: seed)
        let value = RandomValue(using: &random)
        let bytes = try coding.encode(TreeEncoder().encode(value))
        let decoded = try TreeDecoder().decode(RandomValue.self, from: coding.decode(bytes[...]))
        try #require(decoded == value, "seed \(seed)")
        let key = StoredKey(random.key())
        expected[key] = value
        entries[key] = coding.entry(key, bytes[...])
      }
      let sorted = entries.values.sorted { $0.key < $1.key }
      let parsed = try coding.parse(coding.join([sorted[...]], FileSurroundings()))
      try #require(parsed.entries.map(\.key) == sorted.map(\.key), "file \(file)")
      for entry in parsed.entries {
        let decoded = try TreeDecoder().decode(RandomValue.self, from: coding.decode(entry.value))
        try #require(decoded == expected[entry.key], "file \(file)")
      }
    }
  }

  @Test(arguments: KeyValueFormat.allCases)
  func realsAndDatesComeBackToTheBit(_ format: KeyValueFormat) throws {
    let reals = [
      0, -0.0, 0.1, 1, 1e16, 1e22, -1e300, .leastNonzeroMagnitude, .leastNormalMagnitude, .pi,
      .greatestFiniteMagnitude, .infinity, -.infinity, .nan,
    ]
    for real in reals {
      #expect(try reread(real, in: format).isExactly(real))
      #expect(try reread([Float(real)], in: format)[0].isExactly(Float(real)))
      let date = Date(timeIntervalSinceReferenceDate: real)
      let decoded = try reread(["key": date], in: format)
      let seconds = try #require(decoded["key"]).timeIntervalSinceReferenceDate
      // For a date, -0.0 and 0.0 are the same moment.
      #expect(seconds == real || seconds.isNaN && real.isNaN)
    }
    for date in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 0.123_456)] {
      #expect(try reread(date, in: format) == date)
    }
  }

  @Test(arguments: KeyValueFormat.allCases)
  func datesDurationsAndDecimalsComeBack(_ format: KeyValueFormat) throws {
    var random = Campaign.generator()
    for number in 0..<Campaign.size(sample: 500, full: 100_000) {
      let (date, duration, decimal) = (random.date(), random.duration(), random.decimal())
      try #require(reread(date, in: format) == date, "date \(number)")
      try #require(reread(duration, in: format) == duration, "duration \(number)")
      try #require(reread(decimal, in: format) == decimal, "decimal \(number)")
    }
  }

  /// As a value, as a key of a dictionary, and as a key of the file.
  @Test(arguments: KeyValueFormat.allCases)
  func allTextComesBackToTheByte(_ format: KeyValueFormat) throws {
    let controls = (0..<0xa0).map { String(Unicode.Scalar(UInt8($0))) }
    let others = [
      "", "\u{fffe}", "\u{ffff}", "\u{1ffff}", "\u{10ffff}", "\u{2028}", "\u{feff}", "😀",
      "e\u{301}", "\u{e9}", "\r\n", " a ", "<a>&amp;]]>", "\"\\'", "$null", "$null:", "$null:1",
      "$null:12", "$base64:", "$base64:AAAA", "$base64:JG51bGw=", "$base64:$base64:", "NaN",
      "-Infinity", "true", "null", "1e3", String(repeating: "long", count: 2500),
    ]
    var entries: [KeyValueEntry] = []
    for text in controls + others + controls.map({ "a" + $0 + "b" }) {
      #expect(try reread(text, in: format).isExactly(text))
      #expect(try reread([text], in: format)[0].isExactly(text))
      let dictionary = try reread([text: text], in: format)
      #expect(dictionary.first?.key.isExactly(text) == true)
      #expect(dictionary.first?.value.isExactly(text) == true)
      let value = try format.coding.encode(.string(text))
      entries.append(format.coding.entry(StoredKey(text), value[...]))
    }
    entries.sort { $0.key < $1.key }
    let parsed = try format.coding.parse(format.coding.join([entries[...]], FileSurroundings()))
    #expect(parsed.entries.map(\.key) == entries.map(\.key))
    for entry in parsed.entries {
      #expect(try format.coding.decode(entry.value) == .string(entry.key.string))
    }
  }
}
