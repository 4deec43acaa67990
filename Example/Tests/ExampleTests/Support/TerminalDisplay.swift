/// The content of a terminal, by the few control sequences that the Example uses.
///
/// It has its own idea of how wide characters are, so that the Example's can be compared with it.
struct TerminalDisplay {
  private(set) var columns: Int
  private(set) var rows: Int
  private(set) var cursor = (row: 0, column: 0)
  private(set) var isCursorShown = true
  private(set) var takesPastes = false
  /// Whether the screen is the one that goes away with the program.
  private(set) var isAlternate = false
  /// What was not understood.
  private(set) var unknown: [String] = []
  /// The parameters of all SGR sequences so far.
  private(set) var styles: Set<String> = []

  /// Each column holds a character; the second one of a wide character holds nothing.
  private var cells: [[String]]
  private var saved: (cells: [[String]], cursor: (row: Int, column: Int))?
  private var pending: [UInt8] = []
  /// Whether the last column was written, so that the next character begins a line.
  private var wraps = false

  init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
    cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  /// The lines without the blanks at their ends, and without the empty ones below.
  var lines: [String] {
    var lines = cells.map { row in
      var line = row.joined()
      while line.last == " " { line.removeLast() }
      return line
    }
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  var text: String { lines.joined(separator: "\n") }

  mutating func resize(columns: Int, rows: Int) {
    var resized = TerminalDisplay(columns: columns, rows: rows).cells
    for (row, line) in cells.prefix(rows).enumerated() {
      for (column, cell) in line.prefix(columns).enumerated() { resized[row][column] = cell }
    }
    cells = resized
    (self.columns, self.rows) = (columns, rows)
    cursor = (min(cursor.row, rows - 1), min(cursor.column, columns - 1))
    wraps = false
  }

  /// Takes bytes, of which a piece may be the beginning of something.
  mutating func show(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      // It begins anew where a signal cut something off.
      if byte == 0x1B { pending = [] }
      pending.append(byte)
      if pending[0] == 0x1B {
        takeSequence(byte)
      } else if let text = String(validating: pending, as: UTF8.self) {
        pending = []
        put(text.unicodeScalars.first!)
      }
    }
  }

  private mutating func takeSequence(_ byte: UInt8) {
    guard pending.count > 1 else { return }
    let isControl = pending[1] == UInt8(ascii: "[")
    guard !isControl || pending.count > 2 && byte >= 0x40 else { return }
    let sequence = String(decoding: pending.dropFirst(), as: UTF8.self)
    pending = []
    let parameters = sequence.dropFirst().dropLast().split(separator: ";").map { Int($0) ?? 0 }
    switch sequence {
    case "[K": for column in cursor.column..<columns { cells[cursor.row][column] = " " }
    case "[2J": cells = Self(columns: columns, rows: rows).cells
    case "[?25h", "[?25l": isCursorShown = sequence.hasSuffix("h")
    case "[?2004h", "[?2004l": takesPastes = sequence.hasSuffix("h")
    case "[?1049h", "[?1049l": switchScreen(toAlternate: sequence.hasSuffix("h"))
    default:
      switch sequence.last {
      case "m": styles.insert(String(sequence.dropFirst().dropLast()))
      case "H":
        let place = parameters + Array(repeating: 1, count: max(0, 2 - parameters.count))
        cursor = (min(place[0], rows) - 1, min(place[1], columns) - 1)
        wraps = false
      default: unknown.append(sequence)
      }
    }
  }

  private mutating func switchScreen(toAlternate: Bool) {
    guard toAlternate != isAlternate else { return }
    isAlternate = toAlternate
    if toAlternate {
      saved = (cells, cursor)
      cells = Self(columns: columns, rows: rows).cells
    } else if let (cells, cursor) = saved {
      let (width, height) = (columns, rows)
      (columns, rows) = (cells[0].count, cells.count)
      (self.cells, self.cursor) = (cells, cursor)
      resize(columns: width, rows: height)
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\r":
      cursor.column = 0
      wraps = false
    case "\n": feedLine()
    case "\u{8}": cursor.column = max(0, cursor.column - 1)
    case "\u{7}": break
    default: put(scalar, columns: Self.columns(of: scalar))
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar, columns width: Int) {
    if width == 0 {
      // It belongs to the character before.
      let column = wraps ? cursor.column : max(0, cursor.column - 1)
      let base = cells[cursor.row][column].isEmpty ? max(0, column - 1) : column
      cells[cursor.row][base].unicodeScalars.append(scalar)
      return
    }
    if wraps || cursor.column + width > columns {
      cursor.column = 0
      feedLine()
    }
    cells[cursor.row][cursor.column] = String(scalar)
    if width == 2 { cells[cursor.row][cursor.column + 1] = "" }
    wraps = cursor.column + width == columns
    cursor.column = min(cursor.column + width, columns - 1)
  }

  private mutating func feedLine() {
    wraps = false
    if cursor.row + 1 < rows {
      cursor.row += 1
    } else {
      cells.removeFirst()
      cells.append(Array(repeating: " ", count: columns))
    }
  }

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x300...0x36F, 0x200B...0x200F, 0xFE00...0xFE0F: 0
    case 0x1100...0x115F, 0x3041...0x30FF, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0xFF01...0xFF60,
      0x1F300...0x1FAFF:
      2
    default: 1
    }
  }
}

/// A terminal session together with the display of its terminal.
final class DisplayedSession: PseudoTerminal {
  private(set) var display = TerminalDisplay(columns: 80, rows: 24)

  override init(_ words: [String], environment: [String]) throws {
    try super.init(words, environment: environment)
  }

  override func receive(_ bytes: ArraySlice<UInt8>) {
    super.receive(bytes)
    display.show(bytes)
  }

  override func resize(columns: Int, rows: Int) {
    super.resize(columns: columns, rows: rows)
    display.resize(columns: columns, rows: rows)
  }

  /// Whether the terminal is as the program found it.
  var isGivenBack: Bool {
    settings == settingsBefore && !display.isAlternate && display.isCursorShown
      && !display.takesPastes
  }

  func waitForDisplay(_ what: String, _ condition: (TerminalDisplay) -> Bool) throws {
    try wait(for: what) { _ in condition(display) }
  }

  func waitForDisplay(of text: String) throws {
    try waitForDisplay(text) { $0.text.contains(text) }
  }
}
