#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A line of a screen.
struct StyledLine: Equatable {
  struct Piece: Equatable {
    var text: String
    var style: TextStyle
  }

  var pieces: [Piece] = []

  init() {}

  init(_ text: String, _ style: TextStyle = .plain) {
    pieces = [Piece(text: text, style: style)]
  }

  static func + (left: StyledLine, right: StyledLine) -> StyledLine {
    var line = left
    line.pieces += right.pieces
    return line
  }

  var columns: Int { pieces.reduce(0) { $0 + $1.text.columns } }

  /// The text with the codes of its styles, cut to some columns.
  func encoded(columns: Int, appearance: Appearance) -> String {
    var rest = columns
    var line = ""
    for piece in pieces {
      let text = piece.text.prefix(columns: rest)
      rest -= text.columns
      if text.isEmpty { continue }
      let shown = appearance.shown(text)
      if let code = piece.style.code(hasColors: appearance.hasColors) {
        line += "\u{1B}[\(code)m\(shown)\u{1B}[0m"
      } else {
        line += shown
      }
    }
    return line
  }
}

/// The size of a terminal.
struct ScreenSize: Equatable {
  var columns: Int
  var rows: Int

  /// The size of the terminal of standard output.
  static var ofStandardOutput: ScreenSize {
    var size = winsize()
    // The kernel fills the structure.
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
      size.ws_row > 0
    else { return ScreenSize(columns: 80, rows: 24) }
    return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}

/// The lines and the cursor of a terminal.
struct Frame: Equatable {
  var lines: [StyledLine] = []
  /// The place of the cursor, from zero.
  var cursor = (row: 0, column: 0)

  static func == (left: Frame, right: Frame) -> Bool {
    left.lines == right.lines && left.cursor == right.cursor
  }
}

/// The content that a terminal shows, so that only differences are drawn.
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

  /// The text that makes the terminal show a frame; empty if it does already.
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
    // The cursor is hidden while it moves, and shown by the same write.
    return "\u{1B}[?25l\(output)\(Self.move(cursor.row, cursor.column))\u{1B}[?25h"
  }

  private static func move(_ row: Int, _ column: Int) -> String {
    "\u{1B}[\(row + 1);\(column + 1)H"
  }
}
