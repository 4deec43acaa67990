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
  /// Returns the Levenshtein distance, in code points to insert, delete or replace.
  package func distance(to other: String) -> Int {
    Array(unicodeScalars).distance(to: Array(other.unicodeScalars), atMost: .max) ?? .max
  }
}

extension [Unicode.Scalar] {
  /// Returns the Levenshtein distance, in code points to insert, delete or replace; nil if it is
  /// greater than a limit.
  package func distance(to other: [Unicode.Scalar], atMost limit: Int) -> Int? {
    var row = Array<Int>(0...other.count)
    for (line, character) in enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      var least = row[0]
      for (column, candidate) in other.enumerated() {
        let replaced = diagonal + (character == candidate ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = Swift.min(replaced, row[column] + 1, diagonal + 1)
        least = Swift.min(least, row[column + 1])
      }
      // The numbers of the next lines are not smaller than the least of this one.
      if least > limit { return nil }
    }
    return row[other.count] > limit ? nil : row[other.count]
  }
}
