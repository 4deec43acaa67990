import Testing

@testable import Example

struct KeyDecoderTests {
  @Test(
    arguments: [
      ("aä€😀", [.character("a"), .character("ä"), .character("€"), .character("😀")]),
      ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
      ("\u{1B}OA\u{1B}OB\u{1B}OC\u{1B}OD\u{1B}OM", [.up, .down, .right, .left, .enter]),
      ("\u{1B}[H\u{1B}[F\u{1B}OH\u{1B}OF", [.home, .end, .home, .end]),
      ("\u{1B}[1~\u{1B}[4~\u{1B}[7~\u{1B}[8~\u{1B}[3~", [.home, .end, .home, .end, .delete]),
      ("\u{1B}[1;5C\u{1B}[3;2~", [.right, .delete]),
      (
        "\u{7F}\u{8}\u{17}\u{15}\u{B}\u{1}\u{5}",
        [.backspace, .backspace, .deleteWord, .deleteToStart, .deleteToEnd, .home, .end]
      ),
      ("\t\u{1B}[Z\r\n", [.tab, .backTab, .enter, .enter]),
      ("\u{4}\u{7}\u{12}", [.control("d"), .control("g"), .control("r")]),
      ("\u{1B}\u{7F}", [.deleteWord]),
      ("\u{1B}[200~a\nb\u{1B}[Cc\td\u{1B}[201~e", [.paste("ab[Ccd"), .character("e")]),
      ("\u{1B}[200~\u{1B}[201~", [.paste("")]),
    ] as [(String, [Key])])
  func keysAreDecodedAtOnceAndInPieces(text: String, keys: [Key]) {
    var decoder = KeyDecoder()
    #expect(decoder.decode(text.utf8) == keys)
    #expect(!decoder.isUndecided)
    #expect(text.utf8.flatMap { decoder.decode(CollectionOfOne($0)) } == keys)
  }

  @Test(arguments: [
    "\u{1B}[15~", "\u{1B}[1;2P", "\u{1B}[[A", "\u{1B}OP", "\u{1B}[?1;2c", "\u{1B}[<0;1;1M",
    "\u{1B}]0;title\u{7}", "\u{1B}]11;rgb:0/0/0\u{1B}\\", "\u{1B}P1$r0m\u{1B}\\", "\u{1B}x",
    "\u{1B}ä", "\u{1B}[201~", "\u{1B}[" + String(repeating: "1;", count: 1000) + "q", "\u{0}",
    "\u{9B}\u{85}",
  ])
  func unknownSequenceIsIgnoredAsAWhole(sequence: String) {
    var decoder = KeyDecoder()
    #expect(decoder.decode((sequence + "a").utf8) == [.character("a")])
    var other = KeyDecoder()
    #expect(other.decode(("ä" + sequence + "\u{1B}[A").utf8) == [.character("ä"), .up])
  }

  @Test func escapeKeyIsDecodedAtTheTimeout() {
    var decoder = KeyDecoder()
    #expect(decoder.decode([0x1B]) == [])
    #expect(decoder.isUndecided)
    #expect(decoder.timeOut() == .escape)
    #expect(!decoder.isUndecided && decoder.timeOut() == nil)
    #expect(decoder.decode("[A".utf8) == [.character("["), .character("A")])
    // What was cut off is no key.
    #expect(decoder.decode("\u{1B}[1".utf8) == [] && decoder.timeOut() == nil)
    #expect(decoder.decode("~".utf8) == [.character("~")])
    // A paste takes its time.
    #expect(decoder.decode("\u{1B}[200~a".utf8) == [] && decoder.timeOut() == nil)
    #expect(decoder.decode("b\u{1B}[201~".utf8) == [.paste("ab")])
  }

  @Test(
    arguments: [
      ([0xE4, 0x61], [Key.unreadable, .character("a")]),
      ([0xC3, 0x61], [.unreadable, .character("a")]),
      ([0xC3, 0x1B, 0x5B, 0x41], [.unreadable, .up]),
      ([0xED, 0xA0, 0x80], [.unreadable]), ([0xC0, 0x80], [.unreadable, .unreadable]),
      ([0xF4, 0x90, 0x80, 0x80], [.unreadable]), ([0x80], [.unreadable]),
      ([0xC3, 0xC3, 0xA4], [.unreadable, .character("ä")]),
      (Array("\u{1B}[200~".utf8) + [0xE4] + Array("\u{1B}[201~".utf8), [.unreadable]),
    ] as [([UInt8], [Key])])
  func invalidUTF8IsUnreadable(bytes: [UInt8], keys: [Key]) {
    var decoder = KeyDecoder()
    #expect(decoder.decode(bytes) == keys)
  }

  @Test func pasteIsLimited() {
    var decoder = KeyDecoder()
    let text = String(repeating: "ä", count: KeyDecoder.pasteLimit)
    let keys = decoder.decode("\u{1B}[200~\(text)\u{1B}[201~b".utf8)
    let pasted = Key.paste(String(repeating: "ä", count: KeyDecoder.pasteLimit / 2))
    // A failure must not print all of it.
    let isCut = keys == [pasted, .character("b")]
    #expect(isCut)
  }
}
