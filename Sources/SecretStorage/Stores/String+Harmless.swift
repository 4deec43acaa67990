extension String {
  /// The text, with U+FFFD instead of characters that move a terminal's cursor or reverse text.
  ///
  /// Slot names come from a file to which other users may have written.
  func harmless(keeping kept: Set<Unicode.Scalar> = []) -> String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.isHarmful && !kept.contains($0) ? "\u{FFFD}" : $0 }))
  }
}

extension Unicode.Scalar {
  fileprivate var isHarmful: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: properties.isBidiControl
    default: false
    }
  }
}
