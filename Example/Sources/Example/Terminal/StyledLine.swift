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

  /// The text with the codes that style it, and no more of it than fits.
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

extension String {
  /// The text in lines of at most some columns, broken between words where that is possible.
  func wrapped(columns: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ") {
      var word = String(word)
      if !line.isEmpty, line.columns + 1 + word.columns > columns {
        lines.append(line)
        line = ""
      }
      if !line.isEmpty { line += " " }
      while line.isEmpty, word.columns > columns {
        let part = word.prefix(columns: columns)
        if part.isEmpty { break }
        lines.append(part)
        word = String(word.dropFirst(part.count))
      }
      line += word
    }
    return line.isEmpty ? lines : lines + [line]
  }
}
