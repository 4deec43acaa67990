import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Durations as numbers of seconds, with all of their digits.
struct DurationNotationTests {
  /// The form of older versions, which is that of the `Codable` conformance of `Duration`.
  private struct Components: Encodable {
    let duration: Duration

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(Int64(duration.attoseconds >> 64))
      try container.encode(UInt64(truncatingIfNeeded: duration.attoseconds))
    }
  }

  @Test(arguments: [
    (.zero, "0"), (.seconds(90), "90"), (.milliseconds(250), "0.25"),
    (.milliseconds(-250), "-0.25"),
    (.seconds(-90), "-90"), (Duration(attoseconds: 1), "0.000000000000000001"),
    (Duration(attoseconds: -1), "-0.000000000000000001"), (.nanoseconds(1), "0.000000001"),
    (Duration(attoseconds: 1_000_000_000_000_000_001), "1.000000000000000001"),
    (Duration(attoseconds: .max), "170141183460469231731.687303715884105727"),
    (Duration(attoseconds: .min), "-170141183460469231731.687303715884105728"),
    (.seconds(Int64.min), "-9223372036854775808"),
  ])
  func durationsAreSeconds(_ duration: Duration, _ text: String) throws {
    #expect(try JSONFormat().encode(.duration(duration)) == Array(text.utf8))
    let element = text.contains(".") ? "real" : "integer"
    #expect(
      try XMLPropertyListFormat().encode(.duration(duration))
        == Array("<\(element)>\(text)</\(element)>".utf8))
  }

  @Test(
    arguments: [
      (.seconds(90), .number(.integer(90))), (.milliseconds(100), .number(.real(0.1))),
      (Duration(attoseconds: 1), .number(.real(1e-18))), (.zero, .number(.integer(0))),
      (Duration(attoseconds: 1_000_000_000_000_000_001), .string("1.000000000000000001")),
      (Duration(attoseconds: .min), .string("-170141183460469231731.687303715884105728")),
    ] as [(Duration, ValueTree)])
  func binaryPropertyListsHaveTextForDurationsThatNoDoubleIdentifies(
    _ duration: Duration, _ tree: ValueTree
  ) throws {
    let format = BinaryPropertyListFormat()
    #expect(try format.decode(format.encode(.duration(duration))[...]) == tree)
  }

  @Test(arguments: KeyValueFormat.allCases) func durationsComeBackExactly(
    _ format: KeyValueFormat
  ) throws {
    var random = SplitMix64()
    func requireExact(_ tree: ValueTree, _ duration: Duration) throws {
      let read = try format.coding.decode(try format.coding.encode(tree)[...])
      let decoded = try TreeDecoder().decode([Duration].self, from: .array([read]))
      try #require(decoded == [duration], "\(duration.attoseconds), seed \(random.seed)")
    }
    for _ in 0..<Campaign.size(sample: 1_600, full: 100_000) {
      let duration = random.duration()
      try requireExact(try TreeEncoder().encode(duration), duration)
      try requireExact(try TreeEncoder().encode(Components(duration: duration)), duration)
    }
  }

  @Test(arguments: [
    ("9e1", .seconds(90)), ("90.0", .seconds(90)), ("0.9e+2", .seconds(90)), ("-0", .zero),
    ("-0.0", .zero), ("0e99999999999999999999", .zero), ("25E-2", .milliseconds(250)),
    ("1e-18", Duration(attoseconds: 1)), ("0.0000000000000000005", Duration(attoseconds: 1)),
    ("4.9e-19", .zero), ("-5e-19", Duration(attoseconds: -1)), ("9e-20", .zero), ("1e-999", .zero),
    ("0.3333333333333333333333", Duration(attoseconds: 333_333_333_333_333_333)),
    ("0.6666666666666666666666", Duration(attoseconds: 666_666_666_666_666_667)),
    ("170141183460469231731.6873037158841057274", Duration(attoseconds: .max)),
    ("0.1", .milliseconds(100)),
  ])
  func numbersAreReadToTheNearestAttosecond(_ text: String, _ duration: Duration) throws {
    #expect(try TreeDecoder().decode(Duration.self, from: .number(.text(text))) == duration)
  }

  @Test(
    arguments: [
      .number(.text("170141183460469231731.687303715884105728")), .number(.text("1e21")),
      .number(.text("170141183460469231731.6873037158841057275")), .number(.real(.infinity)),
      .number(.text("1e99999999999999999999")), .number(.real(.nan)), .string("90"),
      .string("0.25"),
      .string("1.0000000000000000010"), .string("1 s"), .bool(true), .null(depth: 0),
      .array([.number(.integer(4))]), .dictionary([:]),
    ] as [ValueTree])
  func otherValuesAreRefused(_ tree: ValueTree) {
    #expect(throws: ValueCodingError.self) { try TreeDecoder().decode(Duration.self, from: tree) }
  }

  @Test func numbersOfOtherProgramsAreDurations() throws {
    func decoded(_ tree: ValueTree) throws -> Duration {
      try TreeDecoder().decode(Duration.self, from: tree)
    }
    #expect(try decoded(.number(.real(0.1))) == .milliseconds(100))
    #expect(try decoded(.number(.float(0.1))) == .milliseconds(100))
    #expect(try decoded(.number(.integer(-90))) == .seconds(-90))
    #expect(try decoded(.number(.real(1e20))) == Duration(attoseconds: Int128("1\(zeros(38))")!))
    #expect(
      try decoded(.array([.number(.integer(4)), .number(.integer(16_213_023_705_161_793_536))]))
        == .seconds(90))
  }

  private func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

  @Test(.enabled(if: Python.isAvailable, "python3 is not installed"))
  func pythonReadsTheSameNumbers() throws {
    var random = SplitMix64()
    let durations = (0..<Campaign.size(sample: 1_600, full: 100_000)).map { _ in random.duration() }
    let numbers = try JSONFormat().encode(.array(durations.map(ValueTree.duration)))
    let exact = durations.map(\.attoseconds.description).joined(separator: ",")
    let file = try TestFile()
    try file.write(numbers + Array("\n[\(exact)]".utf8))
    try Python.run(
      """
      import decimal, json, sys
      decimal.getcontext().prec = 60
      numbers, exact = open(sys.argv[1]).read().rsplit("\\n", 1)
      numbers = json.loads(numbers, parse_float=decimal.Decimal, parse_int=decimal.Decimal)
      exact = json.loads(exact)
      assert len(numbers) == len(exact)
      for number, attoseconds in zip(numbers, exact): assert number * 10**18 == attoseconds, number
      """, [file.path])
  }
}
