import Testing

@testable import ValueFormats

struct DurationTests {
  private func decoded(_ tree: ValueTree) -> Duration? {
    // The tests only check whether decoding succeeds.
    try? TreeDecoder().decode(Duration.self, from: tree)
  }

  @Test(
    arguments: [
      (0, "0"), (1, "0.000000000000000001"), (-1, "-0.000000000000000001"),
      (1_500_000_000_000_000_000, "1.5"), (-90_000_000_000_000_000_000, "-90"),
      (100_000_000_000_000_000, "0.1"), (.max, "170141183460469231731.687303715884105727"),
      (.min, "-170141183460469231731.687303715884105728"),
    ] as [(Int128, String)])
  func durationIsANumberOfSeconds(_ attoseconds: Int128, _ text: String) throws {
    let duration = Duration(attoseconds: attoseconds)
    #expect(try JSONFormat().encode(TreeEncoder().encode(duration)) == Array(text.utf8))
    #expect(decoded(.number(.text(text))) == duration)
  }

  @Test func durationIsReadFromAnyNumber() {
    #expect(decoded(.number(.real(1.5))) == .milliseconds(1500))
    #expect(decoded(.number(.float(0.1))) == .milliseconds(100))
    #expect(decoded(.number(.text("15e-1"))) == .milliseconds(1500))
    #expect(decoded(.number(.text("1.50"))) == .milliseconds(1500))
  }

  @Test(
    arguments: [
      ("90s", .seconds(90)), ("2h30m", .seconds(9000)), ("1.5h", .seconds(5400)),
      ("1d", .seconds(86_400)), ("100ms", .milliseconds(100)), ("250us", .microseconds(250)),
      ("5ns", .nanoseconds(5)), ("-1h1.5s", .milliseconds(-3_601_500)), ("+3m", .seconds(180)),
      (".5s", .milliseconds(500)), ("0s", .zero),
      ("1d2h3m4s5ms6us7ns", .nanoseconds(93_784_005_006_007)),
      ("0.000000000000000001s", Duration(attoseconds: 1)),
      ("170141183460469231731.687303715884105727s", Duration(attoseconds: .max)),
    ] as [(String, Duration)])
  func durationIsReadFromText(_ text: String, _ duration: Duration) {
    #expect(decoded(.string(text)) == duration)
  }

  @Test(arguments: [
    "", "-", "s", "90", "2h30", "30m2h", "1h1h", "2h 30m", " 1s", "1e3s", "--1s", "1h-1m", "ten",
    "1.1.1s", ".s", "1min", "1S", "PT1H", "NaN", "0.0000000000000000001s",
    "170141183460469231731.687303715884105728s", "1000000000000000000d",
    "170141183460469231731s999ms", "99999999999999999999999999999999999999999999d",
  ])
  func otherTextIsNoDuration(_ text: String) {
    let error = #expect(throws: ValueCodingError.self) {
      try TreeDecoder().decode(Duration.self, from: .string(text))
    }
    #expect(error?.reason == "expected a duration, found a string")
  }

  @Test(
    arguments: [
      .number(.text("0.0000000000000000001")), .number(.text("2e20")), .number(.text("-1e400")),
      .number(.text("170141183460469231731.687303715884105728")), .number(.real(.nan)),
      .number(.real(.infinity)), .bool(true), .null(depth: 0), .dictionary([:]), .array([]),
    ] as [ValueTree])
  func otherValueIsNoDuration(_ tree: ValueTree) { #expect(decoded(tree) == nil) }

  /// The form of the `Codable` conformance of `Duration`, in which other coders store it.
  @Test func arrayOfTheStandardLibraryIsRead() {
    let halves = [1, 2].map { ValueTree.number(.integer($0)) }
    #expect(decoded(.array(halves)) == Duration(attoseconds: (1 << 64) + 2))
  }

  @Test func secretsKeepTheFormOfFoundation() throws {
    let tree = try TreeEncoder(.foundation).encode(Duration(attoseconds: (1 << 64) + 2))
    #expect(tree == .array([1, 2].map { .number(.integer($0)) }))
    for form in [ValueTree.number(.integer(1)), .string("1s")] {
      #expect(throws: ValueCodingError.self) {
        try TreeDecoder(.foundation).decode(Duration.self, from: form)
      }
    }
  }
}
