import FoundationEssentials
import Testing

@testable import ValueFormats

struct TreeCodingTests {
  @Test func integersComeBackAtTheirLimits() throws {
    func check<Integer: FixedWidthInteger & Codable>(_ type: Integer.Type) throws {
      for value in [Integer.min, 0, 1, .max] { try expectExactEverywhere(value) }
    }
    for type in allIntegers { try check(type) }
    try expectExactEverywhere(UInt128(Int128.max) + 1)
  }

  @Test(arguments: [0, -0.0, 0.8, .leastNonzeroMagnitude, -.infinity, .greatestFiniteMagnitude])
  func realsComeBack(_ value: Double) throws {
    try expectExactEverywhere(value)
    try expectExactEverywhere(Float(value))
  }

  @Test func otherSingleValuesComeBack() throws {
    let values: [any Codable & Hashable] = [
      true, false, "", "\u{0}", "😀", "e\u{301}", "$null", Data(), Data([0, 255]),
      Data([1, 2, 3])[1...], Date(timeIntervalSinceReferenceDate: 1.123_456_789), Date.distantPast,
      Date.distantFuture, UUID(), Decimal(string: "-12345678901234567890.0123456789")!,
      Decimal.greatestFiniteMagnitude, [UInt8(1), 2], -3..<7, "a"..."b",
      DateInterval(start: .distantPast, duration: 1.5), Duration.zero, Duration.seconds(-90),
      Duration(attoseconds: .min), Duration(attoseconds: .max), Duration(attoseconds: -1),
    ]
    for value in values { try expectExactEverywhere(value) }
  }

  @Test func linksComeBackWithTheirBases() throws {
    let base = URL(string: "https://example.com/a/")
    let urls = [
      URL(string: "https://example.com/a?b=c#d"), URL(string: "b", relativeTo: base), base,
      URL(string: "?q#f", relativeTo: base), URL(filePath: "/x/a b"), URL(string: "relative"),
      URL(filePath: "a", relativeTo: URL(filePath: "/x/")), URL(string: "mailto:a@example.com"),
    ]
    for url in urls {
      let url = try #require(url)
      try expectExactEverywhere(url)
      let decoded = try TreeDecoder().decode(URL.self, from: TreeEncoder().encode(url))
      #expect(decoded.baseURL == url.baseURL)
    }
  }

  @Test func valuesHaveTheirOwnKinds() throws {
    let encoder = TreeEncoder()
    let date = Date(timeIntervalSinceReferenceDate: 0.5)
    let url = URL(string: "https://example.com")!
    #expect(try encoder.encode(date) == .date(date))
    #expect(try encoder.encode([date]) == .array([.date(date)]))
    #expect(try encoder.encode(Data([1])) == .data(Data([1])))
    #expect(try encoder.encode(["a": Data([1])]) == .dictionary(["a": .data(Data([1]))]))
    guard case .data(let slice) = try encoder.encode(Data([1, 2, 3])[1...]) else {
      Issue.record("Data is not stored as such.")
      return
    }
    #expect(slice.startIndex == 0 && slice == Data([2, 3]))
    #expect(try encoder.encode([UInt8(1)]) == .array([.number(.integer(1))]))
    #expect(try encoder.encode(Optional(url)) == .string("https://example.com"))
    #expect(try encoder.encode(true) == .bool(true))
    #expect(try encoder.encode(1.0) == .number(.real(1)))
    #expect(try encoder.encode(Float(0.1)) == .number(.float(0.1)))
    #expect(try encoder.encode(UInt128.max) == .string("340282366920938463463374607431768211455"))
    #expect(try encoder.encode(UInt128(7)) == .number(.integer(7)))
    #expect(try encoder.encode(Duration.seconds(90)) == .number(.integer(90)))
    #expect(try encoder.encode([Duration.milliseconds(1500)]) == .array([.number(.text("1.5"))]))
    #expect(try encoder.encode([-1: "a"]) == .dictionary(["-1": .string("a")]))
  }
}
