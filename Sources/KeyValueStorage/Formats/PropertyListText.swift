/// Strings as property lists have them, which write the absence of a value as one, too.
enum PropertyListText {
  /// What Foundation writes as well.
  private static let null = "$null"
  private static let nullPrefix = "$null:"

  static func ofNull(depth: Int) -> String {
    depth == 0 ? null : nullPrefix + String(depth)
  }

  /// A string as it is written, if the property list can hold all of its characters or not.
  static func of(_ string: String, isWritable: Bool = true) -> String {
    EscapedText.escape(string, needsEscape: !isWritable || string == null)
  }

  static func tree(_ text: String) -> ValueTree {
    if text == null { return .null(depth: 0) }
    if text.utf8.starts(with: nullPrefix.utf8) {
      let depth = String(decoding: text.utf8.dropFirst(nullPrefix.utf8.count), as: UTF8.self)
      if let depth = Int(depth), depth > 0, text == ofNull(depth: depth) {
        return .null(depth: depth)
      }
    }
    return .string(EscapedText.unescape(text))
  }
}
