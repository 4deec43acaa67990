/// Whether strings in a file may contain escapes.
package enum TextForm: Sendable {
  /// The file was written by a store, whose strings may contain escapes.
  case escaped
  /// The file was written by another program, whose strings contain no escapes.
  case plain

  func unescaped(_ text: String) -> String {
    self == .plain ? text : EscapedText.unescape(text)
  }

  /// Returns the value of a string.
  func tree(_ text: String) -> ValueTree {
    if self == .escaped, let depth = EscapedText.depthOfNull(text) { return .null(depth: depth) }
    return .string(unescaped(text))
  }

  /// Returns the value of a string in a property list.
  func treeInPropertyList(_ text: String) -> ValueTree {
    text == EscapedText.null ? .null(depth: 0) : tree(text)
  }
}
