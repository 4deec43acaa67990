import FoundationEssentials

/// The escapes for strings that a format cannot represent, or that have a special meaning.
///
/// A nil inside non-nil optionals is encoded as `$null:`, followed by the number of those
/// optionals. A string that begins with the prefix of an escape, or that the format cannot
/// represent, is encoded as `$base64:`, followed by its bytes in base64.
package enum EscapedString {
  private static let base64Prefix = "$base64:"
  private static let nullPrefix = "$null:"
  /// The encoding of an outermost nil in a property list, as in Foundation.
  static let null = "$null"

  /// Returns the string for a nil inside `depth` non-nil optionals.
  static func ofNull(depth: Int) -> String { nullPrefix + String(depth) }

  /// Returns the string in a property list for a nil inside `depth` non-nil optionals.
  static func inPropertyList(ofNull depth: Int) -> String {
    depth == 0 ? null : ofNull(depth: depth)
  }

  /// Escapes a string if it begins with the prefix of an escape, or if `needsEscape` is true.
  package static func escape(_ string: String, needsEscape: Bool = false) -> String {
    // The bytes are compared, because `hasPrefix` fails if a combining character follows the
    // prefix.
    let hasEscapePrefix =
      string.utf8.starts(with: base64Prefix.utf8) || string.utf8.starts(with: nullPrefix.utf8)
    guard needsEscape || hasEscapePrefix else { return string }
    return base64Prefix + Data(string.utf8).base64EncodedString()
  }

  /// Escapes a string for a property list; `isWritable` is false if the format cannot represent it.
  static func inPropertyList(_ string: String, isWritable: Bool = true) -> String {
    escape(string, needsEscape: !isWritable || string == null)
  }

  /// Reverses `escape`; returns any other string unchanged.
  package static func unescape(_ string: String) -> String {
    guard string.utf8.starts(with: base64Prefix.utf8) else { return string }
    let base64 = string.utf8.dropFirst(base64Prefix.utf8.count)
    // A noncanonical form of base64 would change in a round trip.
    guard let bytes = Data(strictBase64: base64),
      bytes.base64EncodedString().utf8.elementsEqual(base64)
    else { return string }
    return String(validating: bytes, as: UTF8.self) ?? string
  }

  /// Returns the number of optionals in the escape of a nil; nil for other strings.
  static func depthOfNull(_ string: String) -> Int? {
    guard string.utf8.starts(with: nullPrefix.utf8),
      let depth = Int(Substring(string.utf8.dropFirst(nullPrefix.utf8.count))),
      // Rejects noncanonical numbers, as in `$null:+1`.
      depth > 0, string == ofNull(depth: depth)
    else { return nil }
    return depth
  }
}

/// The interpretation of the strings in a file, with or without escapes.
package enum StringEscaping: Sendable {
  /// The file was written by a store, whose strings may contain escapes.
  case escaped
  /// The file was written by another program, whose strings contain no escapes.
  case plain

  func unescaped(_ string: String) -> String {
    self == .plain ? string : EscapedString.unescape(string)
  }

  /// Returns the value that a string represents.
  func tree(_ string: String) -> ValueTree {
    if self == .escaped, let depth = EscapedString.depthOfNull(string) {
      return .null(depth: depth)
    }
    return .string(unescaped(string))
  }

  /// Returns the value that a string in a property list represents.
  func treeInPropertyList(_ string: String) -> ValueTree {
    string == EscapedString.null ? .null(depth: 0) : tree(string)
  }
}

extension Data {
  /// Decodes base64; returns nil for incorrect or misplaced padding, which Foundation accepts.
  init?(strictBase64 base64: some Collection<UInt8>) {
    let padding = base64.drop { $0 != UInt8(ascii: "=") }
    guard base64.count % 4 == 0, padding.count <= 2, padding.allSatisfy({ $0 == UInt8(ascii: "=") })
    else { return nil }
    self.init(base64Encoded: Data(base64))
  }
}
