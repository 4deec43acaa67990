import FoundationEssentials

/// The escapes of text that a format cannot hold, or that stands for something else.
///
/// An absence inside of optionals is the text `$null:` with their number. Text that begins like an
/// escape, or that the format cannot hold, is `$base64:` with its bytes.
enum EscapedText {
  private static let prefix = "$base64:"
  private static let nullPrefix = "$null:"
  /// An absence at the top level of optionals in a property list, as Foundation has it.
  fileprivate static let null = "$null"

  /// Returns the text for an absence inside of `depth` optionals.
  static func ofNull(depth: Int) -> String { nullPrefix + String(depth) }

  /// Returns the string of a property list for an absence inside of `depth` optionals.
  static func inPropertyList(ofNull depth: Int) -> String {
    depth == 0 ? null : ofNull(depth: depth)
  }

  /// Escapes text that looks escaped, or that the format cannot hold.
  static func escape(_ text: String, needsEscape: Bool = false) -> String {
    // As bytes: a combining character after a prefix would hide it from `hasPrefix`.
    let isMistakable =
      text.utf8.starts(with: prefix.utf8) || text.utf8.starts(with: nullPrefix.utf8)
    guard needsEscape || isMistakable else { return text }
    return prefix + Data(text.utf8).base64EncodedString()
  }

  /// Returns a string of a property list, which may be unable to hold its characters.
  static func inPropertyList(_ text: String, isWritable: Bool = true) -> String {
    escape(text, needsEscape: !isWritable || text == null)
  }

  /// Reverses `escape`; returns all other text unchanged.
  static func unescape(_ text: String) -> String {
    guard text.utf8.starts(with: prefix.utf8) else { return text }
    let base64 = text.utf8.dropFirst(prefix.utf8.count)
    // Base64 that no encoder writes would change in a round trip.
    guard let bytes = Data(strictBase64: base64),
      bytes.base64EncodedString().utf8.elementsEqual(base64)
    else { return text }
    return String(validating: bytes, as: UTF8.self) ?? text
  }

  fileprivate static func depthOfNull(_ text: String) -> Int? {
    guard text.utf8.starts(with: nullPrefix.utf8),
      let depth = Int(Substring(text.utf8.dropFirst(nullPrefix.utf8.count))),
      // Rejects text with another spelling, such as `$null:+1`.
      depth > 0, text == ofNull(depth: depth)
    else { return nil }
    return depth
  }
}

/// The meaning of text in a file.
package enum TextForm: Sendable {
  /// Text of a store, which has escapes.
  case escaped
  /// Text of another program, which has none.
  case plain

  func unescaped(_ text: String) -> String {
    self == .plain ? text : EscapedText.unescape(text)
  }

  /// Returns the value of a text.
  func tree(_ text: String) -> ValueTree {
    if self == .escaped, let depth = EscapedText.depthOfNull(text) { return .null(depth: depth) }
    return .string(unescaped(text))
  }

  /// Returns the value of a string of a property list.
  func treeInPropertyList(_ text: String) -> ValueTree {
    text == EscapedText.null ? .null(depth: 0) : tree(text)
  }
}
