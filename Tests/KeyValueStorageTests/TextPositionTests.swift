import Testing

@testable import KeyValueStorage

struct TextPositionTests {
  @Test(arguments: [
    ("", 0, 1, 1), ("abc", 2, 1, 3), ("abc", 3, 1, 4), ("abc", 99, 1, 4),
    ("a\nb", 1, 1, 2), ("a\nb", 2, 2, 1), ("\n\n\n", 3, 4, 1),
    ("a\r\nb", 3, 2, 1), ("a\rb\r\rc", 5, 4, 1), ("\r\n\r\n", 4, 3, 1),
    // Two code points, of two and four bytes, that editors count as one each.
    ("\u{e9}\u{1F600}x", 6, 1, 3), ("e\u{301}x", 3, 1, 3),
  ])
  func positionCountsLinesAndCodePoints(_ text: String, _ offset: Int, _ line: Int, _ column: Int) {
    let position = TextPosition.all(of: [offset], in: Array(text.utf8))[offset]
    #expect(position?.line == line)
    #expect(position?.column == column)
  }

  @Test func positionsOfSeveralOffsetsAreThoseOfEach() {
    let bytes = Array("a\r\nb\n\n\u{e9}\r\u{1F600}x".utf8)
    let offsets = [99, 0, 4, 9, 4, bytes.count, 2]
    let positions = TextPosition.all(of: offsets, in: bytes)
    #expect(positions.count == Set(offsets).count)
    for offset in offsets {
      #expect(positions[offset] == TextPosition.all(of: [offset], in: bytes)[offset])
    }
  }
}
