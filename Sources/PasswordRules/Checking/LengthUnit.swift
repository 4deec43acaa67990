/// The unit in which the length of a string is measured.
public enum LengthUnit: Hashable, Sendable, CaseIterable {
  /// Unicode code points, which NIST SP 800-63B counts.
  case codePoints
  /// User-perceived characters: the extended grapheme clusters of UAX #29.
  case graphemeClusters
  /// UTF-16 code units, which JavaScript and the HTML attribute `maxlength` count.
  case utf16
  /// UTF-8 code units, which are bytes.
  case utf8

  package func length(of string: String) -> Int {
    switch self {
    case .codePoints: string.unicodeScalars.count
    case .graphemeClusters: string.count
    case .utf16: string.utf16.count
    case .utf8: string.utf8.count
    }
  }

  /// Returns the range, in code points, of the part of a string that exceeds a limit.
  package func excess(of string: String, over limit: Int) -> Range<Int> {
    let end =
      switch self {
      case .codePoints: string.unicodeScalars.prefix(limit).endIndex
      case .graphemeClusters: string.prefix(limit).endIndex
      case .utf16: string.utf16.prefix(limit).endIndex
      case .utf8: string.utf8.prefix(limit).endIndex
      }
    // Slicing rounds an index inside a code point down.
    return string.unicodeScalars[..<end].count..<string.unicodeScalars.count
  }
}
