/// How large a terminal is.
struct ScreenSize: Equatable {
  var columns: Int
  var rows: Int
}

/// What is to be seen on a terminal.
struct Frame: Equatable {
  var lines: [StyledLine] = []
  /// Where the cursor is, from zero.
  var cursor = (row: 0, column: 0)

  static func == (left: Frame, right: Frame) -> Bool {
    left.lines == right.lines && left.cursor == right.cursor
  }
}

/// What a terminal shows, so that only what differs is drawn.
struct Screen {
  let appearance: Appearance
  private var size: ScreenSize?
  private var rows: [String] = []
  private var cursor = (row: 0, column: 0)

  init(_ appearance: Appearance) {
    self.appearance = appearance
  }

  /// Begins with a terminal that may show anything.
  mutating func forget() { size = nil }

  /// What to write to the terminal so that it shows a frame; nothing if it does.
  mutating func update(to frame: Frame, size: ScreenSize) -> String {
    var output = ""
    if size != self.size {
      output += "\u{1B}[H\u{1B}[2J"
      rows = Array(repeating: "", count: size.rows)
      self.size = size
    }
    for row in rows.indices {
      let line = row < frame.lines.count ? frame.lines[row] : StyledLine()
      let text = line.encoded(columns: size.columns, appearance: appearance)
      if text == rows[row] { continue }
      rows[row] = text
      output += Self.move(row, 0) + text
      // At the end of a full line, the terminal would erase its last character.
      if line.columns < size.columns { output += "\u{1B}[K" }
    }
    if output.isEmpty, frame.cursor == cursor { return "" }
    cursor = frame.cursor
    // The cursor is hidden while it moves about, and shown by the same write.
    return "\u{1B}[?25l\(output)\(Self.move(cursor.row, cursor.column))\u{1B}[?25h"
  }

  private static func move(_ row: Int, _ column: Int) -> String {
    "\u{1B}[\(row + 1);\(column + 1)H"
  }
}
