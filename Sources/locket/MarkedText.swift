/// A text on one line, and carets below a part of it.
///
/// A text that a terminal would break into several lines is cut to the piece around that part.
struct MarkedText {
  /// In columns; terminals have 80 or more.
  private static let limit = 74
  /// The columns of a longer text that are shown before the part.
  private static let lead = 24
  private static let ellipsis = Cell(text: "…", width: 1)

  private struct Cell {
    let text: String
    let width: Int
  }

  let line: String
  let carets: String

  /// Marks a range of Unicode code points; an empty range stands for something that is missing
  /// there.
  init(_ text: String, marking range: Range<Int>) {
    let cells = text.unicodeScalars.map { scalar in
      scalar.isShownAsItIs
        ? Cell(text: String(scalar), width: scalar.columns)
        : Cell(text: scalar.visibly, width: scalar.visibly.utf8.count)
    }
    let shown = Self.piece(of: cells, from: range.lowerBound)
    let before = cells[shown.lowerBound..<range.lowerBound]
    let marked = cells[range.clamped(to: shown)]
    let start = shown.lowerBound > 0 ? [Self.ellipsis] : []
    let end = shown.upperBound < cells.count ? [Self.ellipsis] : []
    line = (start + cells[shown] + end).map(\.text).joined()
    carets =
      String(repeating: " ", count: Self.width(of: start + before))
      + String(repeating: "^", count: max(1, Self.width(of: marked)))
  }

  private static func piece(of cells: [Cell], from place: Int) -> Range<Int> {
    if width(of: cells) <= limit { return cells.indices }
    var (start, width) = (place, 0)
    while start > 0, width + cells[start - 1].width <= lead {
      start -= 1
      width += cells[start].width
    }
    var end = place
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
  /// Whether a terminal shows it in a place of its own, not as a part of its neighbours.
  fileprivate var isShownAsItIs: Bool {
    if isInvisible || properties.isDefaultIgnorableCodePoint || properties.isEmojiModifier {
      return false
    }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return false
    default: break
    }
    switch value {
    // Vowels and ends of Korean syllables; halves of flags.
    case 0x1160...0x11FF, 0xD7B0...0xD7FF, 0x1F1E6...0x1F1FF: return false
    default: return true
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

  /// How many columns of a terminal it takes, if it is shown as it is.
  fileprivate var columns: Int {
    properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) } ? 2 : 1
  }

  /// An escape as in Swift.
  fileprivate var visibly: String {
    switch self {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(value, radix: 16, uppercase: true))}"
    }
  }
}
