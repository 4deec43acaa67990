extension ValueTree {
  /// What text in a file stands for: an absence inside of optionals, or text that may be escaped.
  init(text: String) {
    if let depth = Self.depthOfNull(text) {
      self = .null(depth: depth)
    } else {
      self = .string(EscapedText.unescape(text))
    }
  }

  /// The text for an absence inside of optionals.
  static func text(ofNullAt depth: Int) -> String { "\(EscapedText.nullMark)\(depth)" }

  private static func depthOfNull(_ text: String) -> Int? {
    guard text.utf8.first == UInt8(ascii: "$"),
      text.utf8.starts(with: EscapedText.nullMark.utf8),
      let digits = String(text.utf8.dropFirst(EscapedText.nullMark.utf8.count)),
      let depth = Int(digits), depth > 0, String(depth) == digits
    else { return nil }
    return depth
  }
}
