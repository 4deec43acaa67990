import ValueFormats

/// A line of text with carets below a range, shortened around the range to fit a terminal.
struct MarkedText {
  /// The maximum width in columns; terminals have 80 or more.
  private static let limit = 74
  /// The maximum number of columns before the range in a shortened text.
  private static let lead = 24
  private static let ellipsis = Cell(text: "…", width: 1)

  private struct Cell {
    let text: String
    let width: Int
  }

  let line: String
  let carets: String

  /// Marks a range of Unicode code points; an empty one marks the position of something missing.
  init(_ text: String, marking range: Range<Int>) {
    let cells = text.unicodeScalars.map { scalar in
      scalar.isPrintable
        ? Cell(text: String(scalar), width: scalar.columns)
        : Cell(text: scalar.escaped, width: scalar.escaped.utf8.count)
    }
    let shown = Self.excerpt(of: cells, from: range.lowerBound)
    let before = cells[shown.lowerBound..<range.lowerBound]
    let marked = cells[range.clamped(to: shown)]
    let start = shown.lowerBound > 0 ? [Self.ellipsis] : []
    let end = shown.upperBound < cells.count ? [Self.ellipsis] : []
    line = (start + cells[shown] + end).map(\.text).joined()
    carets =
      String(repeating: " ", count: Self.width(of: start + before))
      + String(repeating: "^", count: max(1, Self.width(of: marked)))
  }

  private static func excerpt(of cells: [Cell], from position: Int) -> Range<Int> {
    if width(of: cells) <= limit { return cells.indices }
    var (start, width) = (position, 0)
    while start > 0, width + cells[start - 1].width <= lead {
      start -= 1
      width += cells[start].width
    }
    var end = position
    while end < cells.count, width + cells[end].width <= limit {
      width += cells[end].width
      end += 1
    }
    return start..<end
  }

  private static func width(of cells: some Sequence<Cell>) -> Int {
    cells.reduce(0) { $0 + $1.width }
  }
}

extension Unicode.Scalar {
  /// Whether a terminal shows the code point in columns of its own, apart from its neighbors.
  fileprivate var isPrintable: Bool {
    switch value {
    // Vowels and final consonants of Hangul; regional indicators.
    case 0x1160...0x11FF, 0xD7B0...0xD7FF, 0x1F1E6...0x1F1FF: false
    default:
      !isInvisible && !properties.isDefaultIgnorableCodePoint && !properties.isEmojiModifier
        && ![.nonspacingMark, .enclosingMark].contains(properties.generalCategory)
    }
  }

  /// The ranges of East Asian Width W and F (Unicode Standard Annex #11), apart from emoji, and the
  /// unassigned code points between them.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,
    0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B,
    0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FB, 0x1F200...0x1F265,
    0x20000...0x3FFFD,
  ]

  /// The width in columns, if the code point is printable.
  fileprivate var columns: Int {
    properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) } ? 2 : 1
  }

  /// The escape sequence in Swift.
  var escaped: String {
    switch self {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(value, radix: 16, uppercase: true))}"
    }
  }
}
