import FoundationEssentials
import TestSupport
import Testing

@testable import ValueFormats

/// Values that only other formats, other programs and people write.
struct TreeDecodingTests {
  private func decode<Value: Decodable>(_ tree: ValueTree, as type: Value.Type) -> Value? {
    // The tests only check whether decoding succeeds.
    try? TreeDecoder().decode(type, from: tree)
  }

  @Test func datesAreReadFromText() throws {
    for row in try Fixture.rows("date", of: "texts") {
      let date = Date(timeIntervalSinceReferenceDate: try #require(Double(row[1])))
      #expect(decode(.string(row[0]), as: Date.self) == date, "\(row)")
      #expect(decode(.array([.string(row[0])]), as: [Date?].self) == [date], "\(row)")
    }
  }

  @Test func otherTextIsNoDate() throws {
    for row in try Fixture.rows("no date", of: "texts") {
      #expect(decode(.string(row[0]), as: Date.self) == nil, "\(row)")
    }
  }

  @Test func datesAreReadFromNumbers() {
    let date = Date(timeIntervalSinceReferenceDate: 1.5)
    #expect(decode(.number(.real(1.5)), as: Date.self) == date)
    #expect(decode(.number(.text("15e-1")), as: Date.self) == date)
    #expect(decode(.number(.text("1e400")), as: Date.self) == nil)
    #expect(decode(.string("Infinity"), as: Date.self)?.timeIntervalSinceReferenceDate == .infinity)
    #expect(decode(.bool(true), as: Date.self) == nil)
  }

  @Test func dataIsReadFromBase64() {
    #expect(decode(.string("AAH/"), as: Data.self) == Data([0, 1, 255]))
    #expect(decode(.string(""), as: Data.self) == Data())
    #expect(
      decode(.dictionary(["a": .string("AA==")]), as: [String: Data?].self) == ["a": Data([0])])
    #expect(decode(.string("AAF="), as: Data.self) == Data([0, 1]))
    #expect(decode(.array([]), as: Data.self) == nil)
  }

  @Test(arguments: [
    "====", "YQ=5", "AAAA====", "AAH", "A A=", "AA==AA==", "A===", "AAAA\n", "AA-_",
  ])
  func otherTextIsNoData(_ text: String) { #expect(decode(.string(text), as: Data.self) == nil) }

  @Test func numbersAreReadFromAnySpelling() {
    func expectDecoded<Value: Decodable & Equatable>(_ value: Value, from tree: ValueTree) {
      #expect(decode(tree, as: Value.self) == value, "\(tree)")
    }
    let values: [(any Decodable & Equatable, ValueTree)] = [
      (1, .number(.text("1.0"))), ([1000 as UInt16], .array([.number(.text("1e3"))])),
      (Int8?.some(2), .number(.real(2))), (2.0, .number(.integer(2))),
      (UInt128.max, .number(.text("\(UInt128.max)"))), (Float(0.1), .number(.text("0.1"))),
      (Float?.some(0.1), .number(.real(0.1))), (0.5, .number(.float(0.5))),
    ]
    for (value, tree) in values { expectDecoded(value, from: tree) }
    #expect(decode(.number(.text("1.5")), as: Int.self) == nil)
    #expect(decode(.number(.integer(300)), as: UInt8.self) == nil)
    #expect(decode(.string("340282366920938463463374607431768211456"), as: UInt128.self) == nil)
    #expect(decode(.string("7"), as: UInt128.self) == nil)
    #expect(decode(.string("7"), as: Int.self) == nil)
  }

  @Test(arguments: ["NaN", "nan", "Infinity", "-Infinity", "inf", "-inf", "+infinity", "INF"])
  func specialNumbersAreReadFromText(_ text: String) throws {
    let value = try #require(decode(.string(text), as: Double.self))
    #expect(value.isExactly(try #require(Double(text))))
    let float = try #require(decode(.array([.string(text)]), as: [Float].self)?.first)
    #expect(float.isExactly(try #require(Float(text))))
  }

  @Test(arguments: ["", "1", "1e400", "0.5", "nan(0x1)", "Infinite", " nan"])
  func otherTextIsNotANumber(_ text: String) {
    #expect(decode(.string(text), as: Double.self) == nil)
    #expect(decode(.string(text), as: Float.self) == nil)
  }

  @Test func booleansAreReadFromNothingElse() {
    #expect(decode(.bool(true), as: Bool.self) == true)
    #expect(decode(.number(.integer(1)), as: Bool.self) == nil)
    #expect(decode(.string("true"), as: Bool.self) == nil)
    #expect(decode(.bool(true), as: Int.self) == nil)
    #expect(decode(.bool(true), as: String.self) == nil)
  }

  /// No tree makes decoding trap, for any type.
  @Test func anyTreeIsDecodedOrRefused() throws {
    var decoded = 0
    for seed in 0..<UInt64(Campaign.size(sample: 300, full: 100_000)) {
      var random = SeededGenerator(seed: seed)
      let tree = random.tree()
      decoded += self.decoded(RandomValue.self, tree) + self.decoded([String: Int?].self, tree)
      decoded += self.decoded([Double??].self, tree) + self.decoded(UInt128.self, tree)
      decoded += self.decoded(TreeCodingErrorTests.Song.self, tree)
    }
    #expect(decoded > 0)
  }

  private func decoded(_ type: (some Decodable).Type, _ tree: ValueTree) -> Int {
    do {
      _ = try TreeDecoder().decode(type, from: tree)
      return 1
    } catch {
      #expect(!error.reason.isEmpty)
      return 0
    }
  }
}
