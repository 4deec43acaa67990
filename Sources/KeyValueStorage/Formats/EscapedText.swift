import FoundationEssentials

/// Text as the base64 of its UTF-8, where a format cannot hold it or would take it for something else.
enum EscapedText {
  private static let prefix = "$base64:"
  private static let nullPrefix = "$null:"

  /// The text as a format writes it, which may have a reason of its own to escape it.
  static func escape(_ text: String, needsEscape: Bool = false) -> String {
    // As bytes: what begins with a combining character would hide a prefix from `hasPrefix`.
    let isMistakable =
      text.utf8.starts(with: prefix.utf8) || text.utf8.starts(with: nullPrefix.utf8)
    guard needsEscape || isMistakable else { return text }
    return prefix + Data(text.utf8).base64EncodedString()
  }

  /// The text that was escaped; what no escaping makes is text as it is.
  static func unescape(_ text: String) -> String {
    guard text.utf8.starts(with: prefix.utf8) else { return text }
    let base64 = text.utf8.dropFirst(prefix.utf8.count)
    // What no encoder writes would not come back as it was.
    guard let bytes = Data(strictBase64: base64),
      bytes.base64EncodedString().utf8.elementsEqual(base64)
    else { return text }
    return String(validating: bytes, as: UTF8.self) ?? text
  }
}
