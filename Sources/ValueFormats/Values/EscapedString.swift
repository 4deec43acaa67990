import FoundationEssentials

/// The escapes for strings that a format cannot represent, or that have a special meaning.
///
/// A nil inside present optionals is encoded as `$null:`, followed by the number of those
/// optionals. A string that begins like an escape, or that the format cannot represent, is encoded
/// as `$base64:`, followed by its bytes.
enum EscapedString {
  private static let prefix = "$base64:"
  private static let nullPrefix = "$null:"
  /// The encoding of an outermost nil in a property list, as in Foundation.
  static let null = "$null"

  /// Returns the string for a nil inside `depth` present optionals.
  static func ofNull(depth: Int) -> String { nullPrefix + String(depth) }

  /// Returns the string in a property list for a nil inside `depth` present optionals.
  static func inPropertyList(ofNull depth: Int) -> String {
    depth == 0 ? null : ofNull(depth: depth)
  }

  /// Escapes a string if it looks like an escape, or if `needsEscape` is true.
  static func escape(_ text: String, needsEscape: Bool = false) -> String {
    // Compares bytes, because `hasPrefix` fails if a combining character follows the prefix.
    let looksEscaped =
      text.utf8.starts(with: prefix.utf8) || text.utf8.starts(with: nullPrefix.utf8)
    guard needsEscape || looksEscaped else { return text }
    return prefix + Data(text.utf8).base64EncodedString()
  }

  /// Escapes a string for a property list; `isWritable` is false if the format cannot represent it.
  static func inPropertyList(_ text: String, isWritable: Bool = true) -> String {
    escape(text, needsEscape: !isWritable || text == null)
  }

  /// Reverses `escape`; returns any other string unchanged.
  static func unescape(_ text: String) -> String {
    guard text.utf8.starts(with: prefix.utf8) else { return text }
    let base64 = text.utf8.dropFirst(prefix.utf8.count)
    // Base64 in a noncanonical form would change in a round trip.
    guard let bytes = Data(strictBase64: base64),
      bytes.base64EncodedString().utf8.elementsEqual(base64)
    else { return text }
    return String(validating: bytes, as: UTF8.self) ?? text
  }

  /// Returns the number of optionals in the escape of a nil; nil for other strings.
  static func depthOfNull(_ text: String) -> Int? {
    guard text.utf8.starts(with: nullPrefix.utf8),
      let depth = Int(Substring(text.utf8.dropFirst(nullPrefix.utf8.count))),
      // Rejects noncanonical numbers, as in `$null:+1`.
      depth > 0, text == ofNull(depth: depth)
    else { return nil }
    return depth
  }
}

/// Whether strings in a file may contain escapes.
package enum StringEscaping: Sendable {
  /// The file was written by a store, whose strings may contain escapes.
  case escaped
  /// The file was written by another program, whose strings contain no escapes.
  case plain

  func unescaped(_ text: String) -> String { self == .plain ? text : EscapedString.unescape(text) }

  /// Returns the value of a string.
  func tree(_ text: String) -> ValueTree {
    if self == .escaped, let depth = EscapedString.depthOfNull(text) { return .null(depth: depth) }
    return .string(unescaped(text))
  }

  /// Returns the value of a string in a property list.
  func treeInPropertyList(_ text: String) -> ValueTree {
    text == EscapedString.null ? .null(depth: 0) : tree(text)
  }
}
