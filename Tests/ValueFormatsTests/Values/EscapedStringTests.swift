import Testing

@testable import ValueFormats

struct EscapedStringTests {
  @Test(arguments: ["\u{0}", "a\u{1F}", "\u{FFFE}\r\n", "e\u{301}\u{0}", "\u{FFFF}\u{1F600}"])
  func forbiddenTextIsEscaped(_ text: String) {
    let escaped = EscapedString.ofForbidden(text)
    #expect(escaped.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    #expect(EscapedString.forbidden(escaped).map { Array($0.utf8) } == Array(text.utf8))
  }

  /// Besides invalid base64, this includes text that needs no escape.
  @Test(arguments: [
    "$base64:?", "$base64:AAA", "$base64:/w==", "$base64:AAAA\n=", "$base64:AAAA====",
    "$base64:AA=5", "$base64:AB==", "$base64:====", " $base64:AAAA", "$base64:", "$base64:YWI=",
    "$base64:\u{301}", "$null", "",
  ])
  func otherTextIsNoEscapeOfText(_ text: String) { #expect(EscapedString.forbidden(text) == nil) }

  @Test(arguments: [0, 1, 9, .max])
  func depthOfNullIsEscaped(_ depth: Int) {
    #expect(EscapedString.depthOfNull(EscapedString.ofNull(depth: depth)) == depth)
  }

  @Test(arguments: [
    "", "$nul", "$null ", "$null:", "$null:0", "$null:01", "$null:+1", "$null:-1", "$null: 1",
    "$null:1x", "$null\u{301}", "$null:99999999999999999999",
  ])
  func otherTextIsNoNull(_ text: String) { #expect(EscapedString.depthOfNull(text) == nil) }
}
