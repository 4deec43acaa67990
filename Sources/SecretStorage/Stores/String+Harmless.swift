extension String {
  /// The text with U+FFFD in the place of what moves a terminal's cursor or turns text around.
  ///
  /// Names of slots come from a file that others may have written to.
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
