extension String {
  /// Returns the text with U+FFFD in place of characters that could manipulate a terminal's output.
  ///
  /// A name in a file may have been written by another user.
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
