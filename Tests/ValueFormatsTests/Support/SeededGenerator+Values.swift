import FoundationEssentials
import TestSupport

// Random values of the types that formats store.
extension SeededGenerator {
  /// An integer of any length, often one of the type's limits.
  mutating func integer<Integer: FixedWidthInteger & Sendable>(_ type: Integer.Type) -> Integer {
    switch number(0..<5) {
    case 0: one(of: [.min, .max, .min + 1, .max - 1, 0, 1])
    case 1: Integer(truncatingIfNeeded: number(-300..<300))
    case 2: 1 << number(0..<Integer.bitWidth) &- (once(in: 2) ? 0 : 1)
    case 3: .random(in: .min ... .max, using: &self) >> number(0..<Integer.bitWidth)
    default: .random(in: .min ... .max, using: &self)
    }
  }

  mutating func double() -> Double {
    switch number(0..<5) {
    case 0:
      one(of: [
        0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .leastNormalMagnitude,
        .greatestFiniteMagnitude, 1e21, 1e16, 1e15, 9_007_199_254_740_992, 0x1p63, 0.1, -1,
        -63_113_904_001, -63_113_904_000, 252_423_993_599, 252_423_993_600,
      ])
    case 1: Double(number(-10_000..<10_000)) / 8
    case 2: secondsOfYears().rounded()
    default: Double(bitPattern: next())
    }
  }

  /// The seconds of a date in the years 1 to 9999.
  mutating func secondsOfYears() -> Double {
    Double(number(-63_113_904_000..<252_423_993_599)) + Double(number(0..<64)) / 64
  }

  mutating func float() -> Float {
    switch number(0..<4) {
    case 0:
      one(of: [
        0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1,
        16_777_216,
      ])
    default: Float(bitPattern: UInt32(truncatingIfNeeded: next()))
    }
  }

  mutating func data() -> Data { Data(array(upTo: once(in: 20) ? 300 : 20) { $0.byte() }) }

  /// A finite date, often a whole second.
  mutating func date() -> Date {
    let seconds: Double =
      switch number(0..<6) {
      case 0:
        one(of: [
          Date.distantPast.timeIntervalSinceReferenceDate,
          Date.distantFuture.timeIntervalSinceReferenceDate, 0, -0.0, 0.1, 1e300,
          -63_113_904_001, -63_113_904_000, 252_423_993_599, 252_423_993_600,
        ])
      case 1: Double(integer(Int32.self))
      case 2: secondsOfYears().rounded(.down)
      case 3: secondsOfYears()
      case 4: Double(number(-100_000_000_000..<100_000_000_000)) / 997
      default: .random(in: -1e9...1e9, using: &self)
      }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  /// A decimal with up to 39 digits.
  mutating func decimal() -> Decimal {
    let digits = once(in: 3) ? Decimal(number(1..<10_000)) : Decimal(next()) * Decimal(next())
    return Decimal(
      sign: one(of: [.plus, .minus]), exponent: number(-128..<101), significand: digits)
  }

  /// A duration of any length, often in whole milliseconds.
  mutating func duration() -> Duration {
    once(in: 2)
      ? .milliseconds(number(-100_000_000..<100_000_000))
      : Duration(attoseconds: integer(Int128.self))
  }

  mutating func url() -> URL {
    let base = URL(string: "https://example.com/a/")
    return one(of: [
      URL(string: "https://example.com/a?b=c&d=%20#e")!, URL(string: "b/c", relativeTo: base)!,
      URL(string: "?q", relativeTo: base)!, URL(string: "relative/path")!,
      URL(string: "mailto:a@example.com")!, URL(filePath: "/x/a b"),
      URL(filePath: "a", relativeTo: URL(filePath: "/x/")), URL(string: "http://user@[::1]:80/")!,
    ])
  }
}
