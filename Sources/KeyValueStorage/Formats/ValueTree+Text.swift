extension ValueTree {
  private static let nullPrefix = "$null:"

  /// What text in a file stands for: an absence inside of optionals, or text that may be escaped.
  init(text: String) {
    if let depth = Self.depthOfNull(text) {
      self = .null(depth: depth)
    } else {
      self = .string(EscapedText.unescape(text))
    }
  }

  /// The text for an absence inside of so many optionals.
  static func text(ofNullAt depth: Int) -> String { nullPrefix + String(depth) }

  private static func depthOfNull(_ text: String) -> Int? {
    guard text.utf8.starts(with: nullPrefix.utf8),
      let depth = Int(String(decoding: text.utf8.dropFirst(nullPrefix.utf8.count), as: UTF8.self)),
      // Not text that was spelled otherwise, such as `$null:+1`.
      depth > 0, text.utf8.elementsEqual(Self.text(ofNullAt: depth).utf8)
    else { return nil }
    return depth
  }
}
