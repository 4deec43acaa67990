import FoundationEssentials

extension SplitMix64 {
  /// Any integer, often one at the type's limits.
  mutating func integer<Integer: FixedWidthInteger & Sendable>(_ type: Integer.Type) -> Integer {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: one(of: [.min, .max, .min + 1, .max - 1, 0, 1])
    case 1: .random(in: 0...100, using: &self)
    default: .random(in: .min ... .max, using: &self)
    }
  }

  mutating func double() -> Double {
    switch Int.random(in: 0..<4, using: &self) {
    case 0:
      one(of: [
        0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .leastNormalMagnitude,
        .greatestFiniteMagnitude, 1e21, 1e16, 9_007_199_254_740_992, 0.1, -1,
      ])
    case 1: Double(Int.random(in: -1000...1000, using: &self)) / 8
    default: Double(bitPattern: next())
    }
  }

  mutating func float() -> Float {
    switch Int.random(in: 0..<4, using: &self) {
    case 0:
      one(of: [
        0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1,
        16_777_216,
      ])
    default: Float(bitPattern: UInt32(truncatingIfNeeded: next()))
    }
  }

  /// Text of any scalars, often of those that some format has no place for or a meaning of its own.
  mutating func string(upTo limit: Int = 12) -> String {
    if once(in: 6) {
      return one(of: [
        "", "$null", "$null:", "$null:0", "$null:1", "$null:x", "$base64:", "$base64:AAAA",
        "$base64:/w==", "$base64:JG51bGw=", "$Null", "$null ", " $null", "NaN", "Infinity", "1e3",
        "true", "null", "2026-11-21T15:46:38Z", "</string>", "<![CDATA[x]]>", "&amp;", "\"\\\"",
        "e\u{301}", "\u{e9}", "\r\n", "\r", " ", "\u{feff}", "👩‍👩‍👧",
      ])
    }
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...limit, using: &self) { text.append(scalar()) }
    return String(text)
  }

  private mutating func scalar() -> Unicode.Scalar {
    switch Int.random(in: 0..<5, using: &self) {
    case 0: Unicode.Scalar(UInt8.random(in: 0..<0x20, using: &self))
    case 1:
      one(of: [
        "\u{0}", "\u{7f}", "\u{85}", "\u{2028}", "\u{fffd}", "\u{fffe}", "\u{ffff}", "\u{1fffe}",
        "\u{10ffff}", "\u{d7ff}", "\u{e000}", "\u{301}", "\u{200d}", "😀", "<", "&", "]", ">", "'",
        "\"", "\\", "/", "$", "\u{feff}",
      ])
    case 2: Unicode.Scalar(UInt32.random(in: 0...0xd7ff, using: &self))!
    case 3: Unicode.Scalar(UInt32.random(in: 0xe000...0x10ffff, using: &self))!
    default: Unicode.Scalar(UInt8.random(in: 0x20..<0x7f, using: &self))
    }
  }

  mutating func key() -> String {
    if once(in: 500) { return String(repeating: "k", count: 10_000) + string() }
    return once(in: 3) ? one(of: ["", "a.b", "a/b", "a b", "_0", "0", "-1", "$null"]) : string()
  }

  mutating func data() -> Data {
    Data(array(upTo: 12) { .random(in: 0...255, using: &$0) })
  }

  /// A finite date, often a whole second.
  mutating func date() -> Date {
    switch Int.random(in: 0..<5, using: &self) {
    case 0:
      one(of: [
        .distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 0),
        Date(timeIntervalSinceReferenceDate: -0.0), Date(timeIntervalSinceReferenceDate: 0.1),
        Date(timeIntervalSinceReferenceDate: -63_113_904_000),
        Date(timeIntervalSinceReferenceDate: -63_113_904_001),
        Date(timeIntervalSinceReferenceDate: 252_423_993_599),
        Date(timeIntervalSinceReferenceDate: 252_423_993_600),
        Date(timeIntervalSinceReferenceDate: 1e300),
      ])
    case 1, 2: Date(timeIntervalSinceReferenceDate: Double(integer(Int32.self)))
    default: Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &self))
    }
  }

  mutating func url() -> URL {
    let base = URL(string: "https://example.com/a/")
    return one(of: [
      URL(string: "https://example.com/a?b=c&d=%20#e")!, URL(string: "b/c", relativeTo: base)!,
      URL(string: "?q", relativeTo: base)!, URL(string: "relative/path")!,
      URL(string: "mailto:a@example.com")!, URL(filePath: "/tmp/a b"),
      URL(filePath: "a", relativeTo: URL(filePath: "/tmp/")), URL(string: "http://user@[::1]:80/")!,
    ])
  }
}
