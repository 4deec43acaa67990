/// Strings as property lists have them, which write the absence of a value as one, too.
enum PropertyListText {
  /// What Foundation writes as well.
  private static let null = "$null"

  static func ofNull(depth: Int) -> String {
    depth == 0 ? null : ValueTree.text(ofNullAt: depth)
  }

  /// A string as it is written, whether or not the property list can hold all of its characters.
  static func of(_ string: String, isWritable: Bool = true) -> String {
    EscapedText.escape(string, needsEscape: !isWritable || string == null)
  }

  static func tree(_ text: String) -> ValueTree {
    text == null ? .null(depth: 0) : ValueTree(text: text)
  }
}
