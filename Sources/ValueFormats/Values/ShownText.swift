extension String {
  /// The text with at most so many code points, and U+FFFD for each that is invisible.
  package func shown(atMost limit: Int) -> String {
    let start = unicodeScalars.prefix(limit + 1)
    var shown = UnicodeScalarView(start.prefix(limit).map { $0.isInvisible ? "\u{FFFD}" : $0 })
    if start.count > limit { shown.append("…") }
    return String(shown)
  }
}

extension Unicode.Scalar {
  /// Whether the code point is invisible, but may affect the display of other text.
  package var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
    default: false
    }
  }
}

extension StringProtocol {
  /// Returns the Levenshtein distance, in characters to insert, delete or replace.
  package func distance(to other: String) -> Int {
    var row = Array(0...other.count)
    for (line, character) in enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for (column, candidate) in other.enumerated() {
        let replaced = diagonal + (character == candidate ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = Swift.min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[other.count]
  }
}
