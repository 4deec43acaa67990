extension Character {
  /// How many columns of a terminal it takes: 0 to 2.
  ///
  /// Terminals differ about emoji of several code points; in most, it is as wide as the widest of
  /// them.
  var columns: Int {
    let widest = unicodeScalars.map(\.columns).max() ?? 0
    // The selector asks for the colored form of a narrow symbol.
    let isEmoji = unicodeScalars.contains("\u{FE0F}") && unicodeScalars.first!.value > 0xFF
    return isEmoji ? 2 : widest
  }
}

extension String {
  /// How many columns of a terminal it takes.
  var columns: Int { reduce(0) { $0 + $1.columns } }

  /// As many of its first characters as fit into some columns.
  func prefix(columns: Int) -> String {
    var rest = columns
    return String(
      prefix { character in
        rest -= character.columns
        return rest >= 0
      })
  }

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

extension Unicode.Scalar {
  /// The ranges of East Asian Width W and F (Unicode Standard Annex #11), apart from emoji, and the
  /// unassigned code points between them.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF,
    0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
    0xFE30...0xFE6B,
    0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FB, 0x1F200...0x1F265,
    0x20000...0x3FFFD,
  ]

  /// How many columns of a terminal it takes: 0 to 2.
  var columns: Int {
    // ASCII, which is nearly everything.
    if value < 0x7F { return value < 0x20 ? 0 : 1 }
    switch properties.generalCategory {
    case .control, .format, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator:
      return 0
    default: break
    }
    if properties.isEmojiPresentation { return 2 }
    return Self.wide.contains { $0.contains(value) } ? 2 : 1
  }
}
