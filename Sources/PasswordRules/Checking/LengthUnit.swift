/// The unit in which the length of a text is measured.
public enum LengthUnit: Hashable, Sendable, CaseIterable {
  /// Unicode code points, which NIST SP 800-63B counts.
  case codePoints
  /// User-perceived characters: the extended grapheme clusters of UAX #29.
  case graphemeClusters
  /// UTF-16 code units, which JavaScript and the HTML attribute `maxlength` count.
  case utf16
  /// UTF-8 code units, which are bytes.
  case utf8

  /// Returns the length of a text in this unit.
  package func length(of text: String) -> Int {
    switch self {
    case .codePoints: text.unicodeScalars.count
    case .graphemeClusters: text.count
    case .utf16: text.utf16.count
    case .utf8: text.utf8.count
    }
  }

  /// Returns the range, in code points, of the part of a text that exceeds a limit.
  package func excess(of text: String, over limit: Int) -> Range<Int> {
    let end =
      switch self {
      case .codePoints: text.unicodeScalars.prefix(limit).endIndex
      case .graphemeClusters: text.prefix(limit).endIndex
      case .utf16: text.utf16.prefix(limit).endIndex
      case .utf8: text.utf8.prefix(limit).endIndex
      }
    // Slicing rounds an index inside a code point down.
    return text.unicodeScalars[..<end].count..<text.unicodeScalars.count
  }
}
