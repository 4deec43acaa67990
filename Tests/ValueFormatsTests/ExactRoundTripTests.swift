import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Round trips from a value to the bytes of a file and back.
@Suite struct ExactRoundTripTests {
  private func expectExact<Value: Codable & Equatable>(
    _ value: Value, in format: KeyValueFormat, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let decoded = try reread(value, in: format)
    #expect(decoded == value, sourceLocation: sourceLocation)
  }

  private func reread<Value: Codable>(_ value: Value, in format: KeyValueFormat) throws -> Value {
    let bytes = try format.coding.encode(TreeEncoder().encode(value))
    return try TreeDecoder().decode(Value.self, from: format.coding.decode(bytes[...]))
  }

  /// Writes each value alone, as a whole file, and with others in one file.
  @Test(arguments: KeyValueFormat.allCases) func anyValueComesBackExactly(
    _ format: KeyValueFormat
  ) throws {
    let coding = format.coding
    let filesCount = UInt64(Campaign.size(sample: 20, full: 2000))
    for file in 0..<filesCount {
      var expected: [StoredKey: RandomValue] = [:]
      var entries: [StoredKey: KeyValueEntry] = [:]
      for seed in file * 50..<file * 50 + 50 {
        var random = SplitMix64(seed: seed)
        let value = RandomValue(using: &random)
        let bytes = try coding.encode(TreeEncoder().encode(value))
        let decoded = try TreeDecoder().decode(RandomValue.self, from: coding.decode(bytes[...]))
        try #require(decoded == value, "seed \(seed)")
        let key = StoredKey(random.key())
        expected[key] = value
        entries[key] = coding.entry(key, bytes[...])
      }
      let sorted = entries.values.sorted { $0.key < $1.key }
      let parsed = try coding.parse(coding.join(sorted, EnclosingText()))
      try #require(parsed.entries.map(\.key) == sorted.map(\.key), "file \(file)")
      for entry in parsed.entries {
        let decoded = try TreeDecoder().decode(RandomValue.self, from: coding.decode(entry.value))
        try #require(decoded == expected[entry.key], "file \(file)")
      }
    }
  }

  @Test(arguments: KeyValueFormat.allCases) func integersComeBackAtTheirLimits(
    _ format: KeyValueFormat
  ) throws {
    func check<Integer: FixedWidthInteger & Codable>(_ type: Integer.Type) throws {
      for value in [Integer.min, 0, 1, .max] {
        try expectExact(value, in: format)
        try expectExact([value], in: format)
      }
    }
    for type in allIntegers { try check(type) }
  }

  @Test(arguments: KeyValueFormat.allCases) func realsAndDatesComeBackToTheBit(
    _ format: KeyValueFormat
  ) throws {
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
    for date in [Date.distantPast, .distantFuture, .now, Date(timeIntervalSince1970: 0.123_456)] {
      try expectExact(date, in: format)
    }
  }

  /// As a value, as a key of a dictionary, and as a key of the file.
  @Test(arguments: KeyValueFormat.allCases) func allTextComesBackToTheByte(
    _ format: KeyValueFormat
  ) throws {
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
    let parsed = try format.coding.parse(format.coding.join(entries, EnclosingText()))
    #expect(parsed.entries.map(\.key) == entries.map(\.key))
    for entry in parsed.entries {
      #expect(try format.coding.decode(entry.value) == .string(entry.key.string))
    }
  }

  @Test(arguments: KeyValueFormat.allCases) func absencesKeepTheirLayers(
    _ format: KeyValueFormat
  ) throws {
    let values: [Int???] = [nil, .some(nil), .some(.some(nil)), 5]
    try expectExact(values, in: format)
    for value in values {
      try expectExact(value, in: format)
      try expectExact(["key": value], in: format)
      try expectExact(Maybe.just(value), in: format)
    }
    let texts: [String??] = ["$null", nil, .some(nil), "$null:1", "$null:0", "null"]
    try expectExact(texts, in: format)
    for text in texts { try expectExact(text, in: format) }
  }

  @Test(arguments: KeyValueFormat.allCases) func otherShapesComeBack(
    _ format: KeyValueFormat
  ) throws {
    typealias Payload = TreeCodingShapesTests.Payload
    try expectExact(true, in: format)
    try expectExact([Data(), Data([0, 1, 255])], in: format)
    try expectExact(Data([255]), in: format)
    try expectExact([UInt8(1), 255], in: format)
    try expectExact(URL(string: "https://example.com/a?b=c&d#e"), in: format)
    try expectExact([URL(string: "b", relativeTo: URL(string: "https://example.com/"))], in: format)
    try expectExact([Int.min: "a", .max: "b"], in: format)
    try expectExact([Payload.one(1): Payload.deep(name: .some(nil), [nil, 1])], in: format)
    try expectExact([[[Int]]](), in: format)
    try expectExact([String: [Int]](), in: format)
    try expectExact(TreeCodingShapesTests.Empty(), in: format)
    try expectExact(Decimal(string: "-0.000123456789012345678901234567"), in: format)
    try expectExact(UUID(), in: format)
  }

  /// Everything that can be encoded to a tree can be written and read.
  @Test(arguments: KeyValueFormat.allCases) func theDeepestValueComesBack(
    _ format: KeyValueFormat
  ) throws {
    typealias Node = TreeEncodingErrorTests.Node
    let tree = try TreeEncoder().encode(Node.chain(FormatLimits.depth - 1))
    let value = try format.coding.encode(tree)
    let entry = format.coding.entry(StoredKey("key"), value[...])
    let parsed = try format.coding.parse(format.coding.join([entry], EnclosingText()))
    let decoded = try parsed.entries.map { try format.coding.decode($0.value) }
    #expect(decoded == [tree])
  }
}
