import FoundationEssentials

@testable import KeyValueStorage

/// Makes values and damage from a seed.
struct PropertyListRandom: RandomNumberGenerator {
  private var state: UInt64
  /// Whether Python has a value for each: it keeps dates by the microsecond, for 9,999 years.
  var isForPython = false

  init(seed: UInt64) {
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

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

  mutating func tree(depth: Int = 0) -> ValueTree {
    switch number(0..<(depth < 4 ? 14 : 11)) {
    case 0: .null(depth: number(0..<3))
    case 1: .bool(number(0..<2) == 0)
    case 2...3: .number(.integer(integer()))
    case 4...5: .number(.real(real()))
    case 6: .number(.float(Float(bitPattern: UInt32(truncatingIfNeeded: next()))))
    case 7: .data(Data((0..<number(0..<20)).map { _ in byte() }))
    case 8: .date(Date(timeIntervalSinceReferenceDate: isForPython ? seconds() : real()))
    case 9...10: .string(text())
    case 11: .array((0..<number(0..<20)).map { _ in tree(depth: depth + 1) })
    default:
      .dictionary(
        Dictionary(
          (0..<number(0..<18)).map { _ in (text(), tree(depth: depth + 2)) },
          uniquingKeysWith: { first, _ in first }))
    }
  }

  private mutating func integer() -> Int128 {
    let limits: [Int128] = [.min, .max, Int128(Int.min), Int128(Int.max), Int128(UInt64.max)]
    return switch number(0..<4) {
    case 0: Int128(number(-300..<300))
    case 1: limits[number(0..<5)]
    case 2: 1 << Int128(number(0..<127)) - Int128(number(0..<2))
    default: (Int128(Int64(bitPattern: next())) << 64 | Int128(next())) >> Int128(number(0..<127))
    }
  }

  private mutating func real() -> Double {
    let special = [
      .nan, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1,
      1e16, 63_113_904_000, 252_423_993_599, 252_423_993_600, -63_113_904_001, 0x1p63,
    ]
    return switch number(0..<4) {
    case 0: special[number(0..<special.count)]
    case 1: Double(number(-10_000..<10_000)) / 8
    case 2: seconds().rounded()
    default: Double(bitPattern: next())
    }
  }

  /// Seconds of a date in the years from 1 to 9999.
  private mutating func seconds() -> Double {
    Double(number(-63_113_904_000..<252_423_993_600)) + Double(number(0..<64)) / 64
  }

  mutating func text() -> String {
    let special = [
      "", "$null", "$null:1", "$null:x", "$base64:", "$base64:AAAA", "$base64:\u{301}", "\r\n",
      "]]>", "&amp;", "<!-- -->", "e\u{301}", "\u{e9}", "\u{FEFF}", "a.b/c d", " \t\n ", "nan",
    ]
    if number(0..<8) == 0 { return special[number(0..<special.count)] }
    let count = number(0..<(number(0..<50) == 0 ? 300 : 20))
    return String(String.UnicodeScalarView((0..<count).map { _ in scalar() }))
  }

  private mutating func scalar() -> Unicode.Scalar {
    let special: [UInt32] = [0x26, 0x3C, 0x3E, 0x5D, 0x7F, 0x85, 0x2028, 0xFFFE, 0xFFFF, 0xFEFF]
    let value =
      switch number(0..<12) {
      case 0: number(0..<8) == 0 ? UInt32(number(0..<0x20)) : 0x20
      case 1: special[number(0..<special.count)]
      case 2: UInt32(number(0x80..<0x800))
      case 3: UInt32(number(0x800..<0x11_0000))
      default: UInt32(number(0x20..<0x7F))
      }
    // What is left are surrogates, which are no characters.
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  /// Entries with keys that are different, in no order.
  mutating func entries(
    _ count: Int, in format: some StoredFormat
  ) throws -> (entries: [KeyValueEntry], trees: [ValueTree]) {
    var trees: [StoredKey: ValueTree] = [:]
    while trees.count < count { trees[StoredKey(text())] = tree() }
    let entries = try trees.map { format.entry($0, try format.encode($1)[...]) }
    return (entries, Array(trees.values))
  }

  /// A file with a few bytes changed, removed, doubled or put elsewhere.
  mutating func damaged(_ file: [UInt8]) -> [UInt8] {
    var file = file
    for _ in 0..<number(1..<4) where !file.isEmpty {
      let start = number(0..<file.count)
      let end = min(file.count, start + number(1..<(number(0..<4) == 0 ? 40 : 4)))
      switch number(0..<6) {
      case 0: file[start] = byte()
      case 1: file[start] ^= 1 << number(0..<8)
      case 2: file.removeSubrange(start..<end)
      case 3: file.insert(contentsOf: file[start..<end], at: number(0..<file.count))
      case 4: file.insert(Array("<>&;-!?/]'\"= \r\0".utf8)[number(0..<15)], at: start)
      default: file[start] = [0, 1, 0x7F, 0x80, 0xFF, 0xD1, 0xA1][number(0..<7)]
      }
    }
    return file
  }
}
