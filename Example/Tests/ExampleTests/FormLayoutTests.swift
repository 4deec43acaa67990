import Testing
import Validation

@testable import Example

struct FormLayoutTests {
  private func content(
    focus: Int = 0, checks: [ShownCheck] = checks, notice: String? = nil
  ) -> FormContent {
    var text = TextField()
    text.set("nausicaa")
    let other = FormContent.Field(
      label: "Password", text: text, isHidden: true, checks: [], offer: "Suggestion: a  b c")
    let field = FormContent.Field(
      label: "User name", text: text, isHidden: false, checks: checks, offer: nil)
    return FormContent(
      title: "New account", fields: [field, other], focus: focus, progress: 0.5, notice: notice,
      hints: ["Enter next", "Esc cancel"])
  }

  private static let checks = [
    ShownCheck(text: "not empty", state: .satisfied),
    ShownCheck(text: "at least nine characters", state: .incomplete),
    ShownCheck(text: "no blanks", state: .violated), ShownCheck(text: "free", state: .waiting),
    ShownCheck(text: "known", state: .pending),
    ShownCheck(text: "asked", state: .unavailable(.timedOut)),
  ]

  /// What a terminal shows of a form.
  private func display(
    _ content: FormContent, _ columns: Int, _ rows: Int, _ appearance: Appearance = Appearance()
  ) -> TerminalDisplay {
    let size = ScreenSize(columns: columns, rows: rows)
    let frame = FormLayout(content: content, size: size, appearance: appearance).frame()
    var screen = Screen(appearance)
    var display = TerminalDisplay(columns: columns, rows: rows)
    display.show(screen.update(to: frame, size: size).utf8)
    return display
  }

  @Test func formIsLaidOutIn80Columns() throws {
    let display = display(content(), 80, 24)
    #expect(try display.text == expectedScreen("80-columns"))
    #expect(display.cursor == (2, 23) && display.isCursorShown)
  }

  @Test func terminalWithoutUnicodeShowsASCII() throws {
    let display = display(
      content(notice: "Größe “A–Z”…"), 80, 24, Appearance(isUnicode: false, hasColors: false))
    #expect(try display.text == expectedScreen("ascii"))
    #expect(display.styles == ["0", "1", "2", "4"])
  }

  @Test func narrowTerminalHasLabelsOnTheirOwnLines() throws {
    #expect(try display(content(focus: 1), 20, 24).text == expectedScreen("20-columns"))
  }

  @Test func lowTerminalKeepsTheFieldAndOpenChecks() throws {
    #expect(try display(content(), 40, 9).text == expectedScreen("40-columns-9-rows"))
    #expect(try display(content(), 40, 5).text == expectedScreen("40-columns-5-rows"))
  }

  @Test(arguments: [1, 2, 3, 4, 6, 10, 20, 40, 80, 200])
  func fieldIsVisibleInAnySize(columns: Int) {
    for (rows, focus) in [1, 2, 3, 5, 8, 12, 24, 60].flatMap({ [($0, 0), ($0, 1)] }) {
      let display = display(content(focus: focus, notice: "Something is wrong."), columns, rows)
      #expect(display.unknown == [])
      #expect(display.cursor.row < rows && display.cursor.column < columns)
      if columns >= 10 {
        // The end is where the cursor is, for which the field has a column.
        let text = focus == 0 ? "nausicaa" : "••••••••"
        #expect(display.lines[display.cursor.row].hasSuffix(text.suffix(columns - 4)))
      }
    }
  }

  @Test func updateDrawsOnlyChangedLines() {
    let size = ScreenSize(columns: 80, rows: 24)
    var screen = Screen(Appearance())
    var frame = Frame(lines: [StyledLine("one"), StyledLine("two"), StyledLine("three")])
    #expect(screen.update(to: frame, size: size).contains("three"))
    frame.lines[1] = StyledLine("2")
    let update = screen.update(to: frame, size: size)
    #expect(update.contains("2") && !update.contains("one") && !update.contains("three"))
    // Another program may have left anything on the terminal.
    screen.forget()
    #expect(screen.update(to: frame, size: size).contains("three"))
  }

  @Test func updateShowsAsMuchOfTheFrameAsFits() {
    let texts = ["", "x", "日本語", "a longer line", "e\u{301}", String(repeating: "y", count: 20)]
    let size = ScreenSize(columns: 20, rows: 4)
    var screen = Screen(Appearance())
    var display = TerminalDisplay(columns: 20, rows: 4)
    for step in 0..<200 {
      let lines = (4 * step..<4 * step + 4).map { number in
        (texts[(number * number + number / 6) % 6], texts[(5 * number + number / 7 + step) % 6])
      }
      let frame = Frame(lines: lines.map { StyledLine($0, .good) + StyledLine($1) }, cursor: (1, 2))
      display.show(screen.update(to: frame, size: size).utf8)
      for (row, line) in lines.enumerated() {
        let shown = row < display.lines.count ? display.lines[row] : ""
        #expect(shown == (line.0 + line.1).prefix(columns: 20))
      }
      #expect(display.cursor == (1, 2))
    }
    #expect(screen.update(to: Frame(cursor: (1, 2)), size: size) != "")
    #expect(screen.update(to: Frame(cursor: (1, 2)), size: size) == "")
  }
}
