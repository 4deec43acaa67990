import TestSupport

// Random text and keys.
extension SeededGenerator {
  /// Text of any scalars, often of scalars that a format cannot represent or treats specially.
  mutating func string() -> String {
    if once(in: 6) {
      return one(of: [
        "", "$null", "$null:", "$null:0", "$null:1", "$null:x", "$base64:", "$base64:AAAA",
        "$base64:/w==", "$base64:JG51bGw=", "$base64:\u{301}", "$Null", "$null ", " $null", "NaN",
        "nan", "Infinity", "1e3", "true", "null", "2026-11-21T15:46:38Z", "</string>", "]]>",
        "<![CDATA[x]]>", "<!-- -->", "&amp;", "\"\\\"", "\\u0041", "\"", "a.b/c d", "e\u{301}",
        "\u{e9}", "\r\n", "\r", " ", " \t\n ", "\u{feff}", "\u{feff}x", "👩‍👩‍👧",
      ])
    }
    // Some texts have only ASCII, some only the scalars of XML: formats encode these differently.
    let kinds = one(of: [4, 8, 9])
    let limit = once(in: 1000) ? 10_000 : once(in: 50) ? 300 : 20
    return String(String.UnicodeScalarView(array(upTo: limit) { $0.scalar(ofKinds: kinds) }))
  }

  private mutating func scalar(ofKinds count: Int) -> Unicode.Scalar {
    switch number(0..<count) {
    case 0, 1, 2: Unicode.Scalar(UInt8(number(0x20..<0x7f)))
    case 3:
      one(of: ["<", ">", "&", "]", "'", "\"", "\\", "/", "$", " ", "\t", "\n", "\r", "\u{7f}"])
    case 4: Unicode.Scalar(UInt32(number(0x80..<0x800)))!
    case 5: Unicode.Scalar(UInt32(number(0x800..<0xd800)))!
    case 6: Unicode.Scalar(UInt32(number(0xe000..<0x11_0000)))!
    case 7:
      one(of: [
        "\u{85}", "\u{2028}", "\u{2029}", "\u{fffd}", "\u{1fffe}", "\u{10ffff}", "\u{d7ff}",
        "\u{e000}", "\u{301}", "\u{200d}", "\u{feff}", "😀",
      ])
    default:
      once(in: 4)
        ? one(of: ["\u{0}", "\u{fffe}", "\u{ffff}"]) : Unicode.Scalar(UInt8(number(0..<0x20)))
    }
  }

  mutating func key() -> String {
    if once(in: 500) { return String(repeating: "k", count: 10_000) + string() }
    return once(in: 6) ? one(of: ["", "a.b", "a/b", "a b", "_0", "0", "-1", "$null"]) : string()
  }
}
