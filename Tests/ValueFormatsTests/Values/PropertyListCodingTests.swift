import FoundationEssentials
import ValueFormats
import TestSupport
import Testing

@Suite struct PropertyListCodingTests {
  let coder = ValueCoder()

  private struct Login: Codable, Hashable {
    var name: String
    var code: Int?
    var previous: [Date] = []
  }

  private enum Level: Int, Codable { case low = 1 }
  private enum Shape: Codable, Hashable {
    case point
    case circle(radius: Double)
  }

  /// A value of the first of two types that decodes it.
  private enum Either<First: Codable & Equatable, Second: Codable & Equatable>: Codable, Equatable {
    case first(First)
    case second(Second)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      do {
        self = .first(try container.decode(First.self))
      } catch {
        self = .second(try container.decode(Second.self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .first(let value): try container.encode(value)
      case .second(let value): try container.encode(value)
      }
    }
  }

  /// The bytes of an array of one real number, written by hand after the format's description.
  @Test func doubleIsAnArrayOfOneElement() throws {
    let expected: [UInt8] =
      Array("bplist00".utf8) + [0xa1, 0x01, 0x23, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 8, 10]
      + [0, 0, 0, 0, 0, 0, 1, 1]
      + [0, 0, 0, 0, 0, 0, 0, 2] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 19]
    #expect(try coder.encode(1.5) == expected)
    #expect(try coder.decode(Double.self, from: expected) == 1.5)
  }

  @Test func containersArePropertyLists() throws {
    let login = Login(name: "peter")
    #expect(try coder.encode(login) == Array(encoded(login)))
    #expect(try coder.encode([1]) == Array(encoded([1])))
    #expect(try coder.encode(["a": [true]]) == Array(encoded(["a": [true]])))
    #expect(try coder.encode([UInt8]([1])) == Array(encoded([UInt8]([1]))))
  }

  @Test func floatingPointComesBackBitByBit() throws {
    for value in [0, -0.0, 0.1, .pi, .infinity, -.infinity, .leastNonzeroMagnitude] as [Double] {
      #expect(try roundTrip(value).bitPattern == value.bitPattern)
      #expect(try roundTrip(Float(value)).bitPattern == Float(value).bitPattern)
    }
    #expect(try roundTrip(Double.nan).isNaN)
    #expect(try roundTrip(Float.nan).isNaN)
    #expect(try roundTrip([Double.infinity, 0.1]) == [.infinity, 0.1])
    #expect(try roundTrip([0, -0.0]).map(\.sign) == [.plus, .minus])
  }

  @Test func otherValuesComeBack() throws {
    func expectRoundTrip<Value: Codable & Equatable>(_ value: Value) throws {
      #expect(try roundTrip(value) == value)
    }
    let login = Login(name: "peter", code: 7)
    let values: [any Codable & Equatable] = [
      UUID(), Level.low, Shape.circle(radius: .infinity), [120 as UInt32], login, [login],
      [Login](), [[login]], Set([login]), [1: "a", 2: "b"], [login: "a"], [URL(string: "a:b")],
      [Data([1]), Data()], String?.some("$null"), [Int]?.some([]), [Int]?.none, Int???.none,
      Int???.some(nil), Int???.some(.some(nil)), Int???.some(1),
    ]
    for value in values { try expectRoundTrip(value) }
    let texts = ["\u{e9}", "e\u{301}"]
    #expect(try roundTrip(texts).map(\.utf8.count) == texts.map(\.utf8.count))
  }

  /// Such a type has no conformance to `Codable`.
  @Test func optionalOfOneWayTypeHasTheSameBytes() throws {
    struct Written: Encodable { var code = 1 }
    struct Read: Decodable { var code: Int }
    struct Both: Codable { var code = 1 }
    let present = try coder.encode(Optional<Both>.some(Both()))
    let absent = try coder.encode(Optional<Both>.none)
    #expect(try coder.encode(Optional<Written>.some(Written())) == present)
    #expect(try coder.encode(Optional<Written>.none) == absent)
    #expect(try coder.decode(Optional<Read>.self, from: present)?.code == 1)
    #expect(try coder.decode(Optional<Read>.self, from: absent)?.code == nil)
  }

  @Test func scalarOrArrayComesBack() throws {
    typealias Tree = Either<String, [Either<String, [String]>]>
    let trees: [Tree] = [
      .first("a"), .second([]), .second([.first("a")]), .second([.first("a"), .first("a")]),
      .second([.second(["a"])]), .second([.second([])]),
    ]
    for tree in trees {
      #expect(try roundTrip(tree) == tree)
      #expect(try roundTrip([tree]) == [tree])
    }
  }

  /// Its type need not be an array.
  @Test func arrayOfOneWithoutExtraArrayIsRead() throws {
    let bytes = Array(try encoded(["a"]))
    let value = Either<Int, [String]>.second(["a"])
    #expect(try coder.decode(Either<Int, [String]>.self, from: bytes) == value)
    #expect(try roundTrip(value) == value)
  }

  @Test func nullStringIsRefused() throws {
    for value in [["$null"], ["a", "$null"]] {
      let error = #expect(throws: ValueCodingError.self) { try coder.encode(value) }
      #expect(error?.reason.hasPrefix("it contains the string \"$null\"") == true)
    }
    #expect(throws: ValueCodingError.self) { try coder.encode(Login(name: "$null")) }
    #expect(try roundTrip(["$null$", #""$null""#]) == ["$null$", #""$null""#])
    #expect(try roundTrip([String?.none, "a$null"]) == [nil, "a$null"])
  }

  /// Unlike settings, which people write.
  @Test func valuesAreNotReadAsAnotherType() throws {
    func expectExact<First: Codable & Equatable, Second: Codable & Equatable>(
      _ value: Second, not type: First.Type
    ) throws {
      let value = Either<First, Second>.second(value)
      #expect(try roundTrip(value) == value)
      #expect(try roundTrip([value, value]) == [value, value])
    }
    try expectExact("AAAA", not: Data.self)
    try expectExact("NaN", not: Double.self)
    try expectExact("2026-11-21T15:46:38Z", not: Date.self)
    try expectExact(1.5, not: Date.self)
    try expectExact(0.1, not: Float.self)
    try expectExact("a:b", not: URL.self)
    try expectExact("1", not: Decimal.self)
  }

  /// FTPropertyWrappers stores values with Foundation's coders.
  @Test func foundationReadsTheSameValues() throws {
    var compared = 0
    for seed in 0..<UInt64(Campaign.size(sample: 200, full: 30_000)) {
      var random = SeededGenerator(seed: seed)
      let value = RandomValue(using: &random)
      // Foundation refuses wide integers, and neither restores the string "$null".
      guard let list = try? encoded(value), let stored = try? coder.encode(value) else {
        continue
      }
      compared += 1
      for bytes in [stored, Array(list)] {
        let expected = try PropertyListDecoder().decode(RandomValue.self, from: Data(bytes))
        try #require(coder.decode(RandomValue.self, from: bytes) == expected, "seed \(seed)")
      }
    }
    #expect(compared > 20)
  }

  @Test func valuesThatEncodeNothingComeBack() throws {
    struct Empty: Codable, Equatable {
      init() {}
      init(from decoder: any Decoder) throws {}
      func encode(to encoder: any Encoder) throws {}
    }
    #expect(try roundTrip(Empty()) == Empty())
    #expect(try roundTrip(["a": [Empty()]]) == ["a": [Empty()]])
  }

  @Test func damagedBytesDoNotTrap() throws {
    let originals = [
      try coder.encode(Login(name: "Nausicaä", code: 1, previous: [.distantPast, .distantFuture])),
      try coder.encode(
        RandomValue.array([.scalar(.string("a")), .array([.scalar(.string("ß"))])])),
      try coder.encode(["wind": [1.5: Data([1, 2, 3])], "valley": [:]]),
    ]
    var damage = Damage(seed: Campaign.seed, pieces: originals)
    for round in 0..<Campaign.size(sample: 600, full: 300_000) {
      let bytes = damage.damaged(originals[round % originals.count])
      readOrRefuse(Login.self, from: bytes)
      readOrRefuse(RandomValue.self, from: bytes)
      readOrRefuse([String: [Double: Data]].self, from: bytes)
      readOrRefuse(Either<String, [String]>.self, from: bytes)
    }
  }

  private func readOrRefuse<Value: Codable>(_ type: Value.Type, from bytes: [UInt8]) {
    do throws(ValueCodingError) {
      _ = try coder.decode(type, from: bytes)
    } catch {
      #expect(!error.reason.isEmpty)
    }
  }

  private func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
    try coder.decode(Value.self, from: coder.encode(value))
  }
}
