import Testing

@testable import ValueFormats

struct EscapedStringTests {
  @Test(arguments: [
    ("", ""), ("plain", "plain"), ("$null", "$null"), ("$nul:", "$nul:"),
    ("$null:", "$base64:JG51bGw6"), ("$null:1", "$base64:JG51bGw6MQ=="),
    ("$base64:", "$base64:JGJhc2U2NDo="), ("$base64:\u{301}", "$base64:JGJhc2U2NDrMgQ=="),
  ])
  func onlyAmbiguousTextIsEscaped(_ text: String, _ escaped: String) {
    #expect(Array(EscapedString.escape(text).utf8) == Array(escaped.utf8))
    #expect(Array(EscapedString.unescape(escaped).utf8) == Array(text.utf8))
  }

  @Test(arguments: ["", "a", "\u{0}", "\u{FFFE}\r\n", "e\u{301}", "\u{1F600}"])
  func unwritableTextIsEscaped(_ text: String) {
    let escaped = EscapedString.escape(text, needsEscape: true)
    #expect(escaped.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    #expect(Array(EscapedString.unescape(escaped).utf8) == Array(text.utf8))
  }

  @Test(arguments: [
    "$base64:?", "$base64:AAA", "$base64:/w==", "$base64:AAAA\n=", "$base64:AAAA====",
    "$base64:YQ=5", "$base64:YR==", "$base64:====", " $base64:AAAA",
  ])
  func invalidEscapesAreKept(_ text: String) {
    #expect(EscapedString.unescape(text) == text)
  }
}
