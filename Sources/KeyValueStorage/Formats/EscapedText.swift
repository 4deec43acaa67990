import FoundationEssentials

/// Text that a format cannot hold, or that would be read as something else, as base64 after a mark.
///
/// It works on bytes: by characters, a mark that a combining character follows would not be found.
enum EscapedText {
  private static let mark = "$base64:"
  static let nullMark = "$null:"

  /// - Parameter needsEscape: Whether the format has a reason of its own to escape this text.
  static func escape(_ text: String, needsEscape: Bool = false) -> String {
    let isMarked =
      text.utf8.first == UInt8(ascii: "$")
      && (text.utf8.starts(with: mark.utf8) || text.utf8.starts(with: nullMark.utf8))
    guard needsEscape || isMarked else { return text }
    return mark + Data(text.utf8).base64EncodedString()
  }

  static func unescape(_ text: String) -> String {
    guard text.utf8.first == UInt8(ascii: "$"), text.utf8.starts(with: mark.utf8),
      let data = Data(base64Encoded: String(text.utf8.dropFirst(mark.utf8.count)) ?? ""),
      let original = String(validating: data, as: UTF8.self)
    else { return text }
    return original
  }
}
