import Testing

@testable import Example

struct TextFieldTests {
  private func field(_ keys: String) -> TextField {
    var decoder = KeyDecoder()
    var field = TextField()
    for key in decoder.decode(keys.utf8) { _ = field.take(key) }
    return field
  }

  @Test(arguments: [
    ("abc", "abc", 3), ("abc\u{7F}", "ab", 2), ("abc\u{1B}[D\u{7F}", "ac", 1),
    ("abc\u{1}x", "xabc", 1), ("abc\u{1}\u{1B}[3~", "bc", 0), ("abc\u{1}\u{5}x", "abcx", 4),
    ("one two  \u{17}", "one ", 4), ("one two\u{17}\u{17}", "", 0), ("ab\u{1B}[D\u{15}", "b", 0),
    ("ab\u{1B}[D\u{B}", "a", 1), ("ab\u{1}\u{1B}[D\u{7F}", "ab", 0),
    ("ab\u{1B}[C\u{1B}[3~", "ab", 2), ("\u{7F}\u{17}\u{15}\u{B}\u{1B}[3~", "", 0),
    ("\u{1B}[200~a\nb\u{1B}[201~c", "abc", 3),
    // A letter and its accent, a family and a flag are one character each.
    ("xe\u{301}\u{7F}", "x", 1), ("e\u{301}\u{1B}[Dx", "xe\u{301}", 1),
    ("👨‍👩‍👧‍👦🇩🇪\u{1B}[D\u{7F}", "🇩🇪", 0), ("🇩🇪\u{1B}[D\u{1B}[3~x", "x", 1),
    // An accent joins what is before it, and what is behind.
    ("ab\u{1B}[D\u{301}x", "a\u{301}xb", 2), ("a🇪\u{1B}[D🇩x", "a🇩🇪x", 3),
    ("ae\u{301}\u{1}\u{1B}[3~", "e\u{301}", 0), ("\u{301}a\u{1}\u{1B}[3~", "a", 0),
  ])
  func keysEditWholeCharacters(keys: String, text: String, cursor: Int) {
    let field = field(keys)
    #expect(field.text.unicodeScalars.elementsEqual(text.unicodeScalars))
    #expect(field.cursor == cursor)
  }

  @Test func fieldIsLimited() {
    var field = TextField()
    field.set(String(repeating: "x", count: TextField.limit))
    #expect(field.take(.character("y")) == .full)
    #expect(field.take(.backspace) == .changed)
    #expect(field.take(.paste("yz")) == .full)
    #expect(field.text.count == TextField.limit - 1)
    #expect(field.take(.paste("")) == .moved)
    #expect(field.take(.tab) == .ignored)
  }

  private func shown(_ keys: String, columns: Int, isHidden: Bool = false) -> (String, Int) {
    let content = FormContent.Field(
      label: "", text: field(keys), isHidden: isHidden, checks: [], offer: nil)
    return content.shown(columns: columns, appearance: Appearance())
  }

  @Test(arguments: [
    ("abc", 5, "abc", 3), ("abcde", 5, "bcde", 4), ("abcdefgh\u{1}", 5, "abcde", 0),
    ("abcdefgh\u{1B}[D\u{1B}[D", 5, "cdefg", 4), ("日本語", 5, "本語", 4), ("日本語\u{1}", 5, "日本", 0),
    ("e\u{301}x", 5, "e\u{301}x", 2), ("\u{200B}", 5, "\u{FFFD}", 1), ("abc", 1, "", 0),
  ])
  func longTextIsScrolledToTheCursor(keys: String, columns: Int, text: String, cursor: Int) {
    #expect(shown(keys, columns: columns) == (text, cursor))
  }

  @Test func hiddenTextShowsDots() {
    #expect(shown("日本e\u{301}", columns: 5, isHidden: true) == ("•••", 3))
    #expect(shown("abcdefgh\u{1B}[D", columns: 5, isHidden: true) == ("•••••", 4))
  }
}
