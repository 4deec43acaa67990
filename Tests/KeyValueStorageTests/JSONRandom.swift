import FoundationEssentials

@testable import KeyValueStorage

/// Makes values, keys and damage from a seed.
struct JSONRandom: RandomNumberGenerator {
  let seed: UInt64
  private var state: UInt64

  init(seed: UInt64 = .random(in: 0 ... .max)) {
    self.seed = seed
    state = seed
  }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var result = state
    result = (result ^ (result >> 30)) &* 0xBF58_476D_1CE4_E5B9
    result = (result ^ (result >> 27)) &* 0x94D0_49BB_1331_11EB
    return result ^ (result >> 31)
  }

  mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func tree(depth: Int = 0) -> ValueTree {
    switch number(0..<(depth < 4 ? 13 : 10)) {
    case 0: .null(depth: number(0..<4))
    case 1: .bool(number(0..<2) == 0)
    case 2...3: .number(.integer(integer()))
    case 4: .number(.real(real()))
    case 5: .number(.float(Float(bitPattern: UInt32(truncatingIfNeeded: next()))))
    case 6: .data(Data((0..<number(0..<20)).map { _ in UInt8(truncatingIfNeeded: next()) }))
    case 7: .date(date())
    case 8...9: .string(text())
    case 10...11: .array((0..<number(0..<5)).map { _ in tree(depth: depth + 1) })
    default:
      .dictionary(members(depth: depth))
    }
  }

  private mutating func members(depth: Int) -> [String: ValueTree] {
    var members: [String: ValueTree] = [:]
    for _ in 0..<number(0..<5) { members[text()] = tree(depth: depth + 1) }
    return members
  }

  private mutating func integer() -> Int128 {
    let bits = Int128(Int64(bitPattern: next())) << 64 | Int128(next())
    switch number(0..<4) {
    case 0: return Int128(number(-10..<10))
    case 1:
      let limits: [Int128] = [.min, .max, Int128(Int.min), Int128(Int.max), Int128(UInt64.max)]
      return limits[number(0..<limits.count)]
    default: return bits >> Int128(number(0..<127))
    }
  }

  private mutating func real() -> Double {
    switch number(0..<4) {
    case 0: Double(number(-1000..<1000)) / 8
    case 1:
      [
        .nan, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
        .leastNormalMagnitude, 0.1, 1e16, 1e15, 9_007_199_254_740_992,
      ][number(0..<11)]
    default: Double(bitPattern: next())
    }
  }

  private mutating func date() -> Date {
    Date(timeIntervalSinceReferenceDate: Double(number(-100_000_000_000..<100_000_000_000)) / 997)
  }

  mutating func text() -> String {
    if number(0..<8) == 0 {
      let special = [
        "", "$null", "$null:1", "$null:x", "$base64:", "$base64:AAAA", "$base64:\u{301}", "NaN",
        "\\u0041", "\"", "\r\n", "e\u{301}", "\u{e9}", "\u{FEFF}x", "a.b/c d", "null",
      ]
      return special[number(0..<special.count)]
    }
    let count = number(0..<(number(0..<50) == 0 ? 10_000 : 12))
    return String(String.UnicodeScalarView((0..<count).map { _ in scalar() }))
  }

  private mutating func scalar() -> Unicode.Scalar {
    let value: UInt32
    switch number(0..<8) {
    case 0: value = UInt32(number(0..<0x20))
    case 1: value = [0x22, 0x5C, 0x2F, 0x7F, 0x2028, 0xFFFE, 0xFFFF, 0xFEFF, 0x301][number(0..<9)]
    case 2: value = UInt32(number(0x80..<0x800))
    case 3: value = UInt32(number(0x800..<0x11_0000))
    default: value = UInt32(number(0x20..<0x7F))
    }
    // What is left are surrogates, which are no characters.
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  /// A file with keys that are different and in no order.
  mutating func file(keys: Int) throws -> [KeyValueEntry] {
    var trees: [StoredKey: ValueTree] = [:]
    for _ in 0..<keys { trees[StoredKey(text())] = tree() }
    return try trees.map { JSONFormat().entry($0, try JSONFormat().encode($1)[...]) }
  }
}
