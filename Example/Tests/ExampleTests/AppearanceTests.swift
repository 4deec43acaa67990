import Testing

@testable import Example

struct AppearanceTests {
  @Test(arguments: [
    (["LANG": "de_DE.UTF-8"], true), (["LANG": "C.utf8"], true), (["LANG": "C"], false),
    ([:], false),
    (["LANG": "de_DE.UTF-8", "LC_ALL": "C"], false), (["LANG": "C", "LC_CTYPE": "C.UTF-8"], true),
    (["LANG": "C.UTF-8", "LC_ALL": ""], true), (["LANG": "de_DE@euro"], false),
    (["LANG": "sr_RS.UTF-8@latin"], true), (["LC_ALL": "de_DE.ISO-8859-1"], false),
  ])
  func localeDecidesAboutUnicode(environment: [String: String], isUnicode: Bool) {
    #expect(Appearance(environment).isUnicode == isUnicode)
  }

  @Test func colorsCanBeDeclined() {
    #expect(Appearance([:]).hasColors && Appearance(["NO_COLOR": ""]).hasColors)
    #expect(!Appearance(["NO_COLOR": "1"]).hasColors)
  }

  @Test func dumbTerminalCannotMoveItsCursor() {
    #expect(Appearance.canMoveCursor(["TERM": "xterm"]))
    #expect(!Appearance.canMoveCursor(["TERM": "dumb"]) && !Appearance.canMoveCursor([:]))
  }

  @Test(arguments: [
    ("", 0), ("abc", 3), ("ä", 1), ("e\u{301}", 1), ("日本", 4), ("한글", 4), ("ｱ", 1), ("Ａ", 2),
    ("😀", 2), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("❤\u{FE0F}", 2), ("❤", 1), ("•", 1), ("█", 1),
    ("⠋", 1), ("✓", 1), ("\u{200B}", 0), ("\u{301}", 0), ("\u{AD}", 0),
  ])
  func textHasItsWidthOnTerminals(text: String, columns: Int) { #expect(text.columns == columns) }

  @Test(arguments: [
    ("one two three", 7, ["one two", "three"]), ("one two", 3, ["one", "two"]),
    ("immeasurable", 5, ["immea", "surab", "le"]), ("", 5, []), ("日本語", 4, ["日本", "語"]),
    ("a 日", 1, ["a", "日"]),
  ])
  func textIsWrappedBetweenWords(text: String, columns: Int, lines: [String]) {
    #expect(text.wrapped(columns: columns) == lines)
  }
}
