import FoundationEssentials

/// The escapes for values that a format cannot represent.
///
/// A nil inside `depth` non-nil optionals is `$null:` and that number; in a property list, an
/// outermost nil is `$null`. A string that XML forbids is `$base64:` and its bytes in base64, and a
/// number with too many digits for a binary property list is its text. Each format marks an escape
/// by a notation that no other program uses for text.
enum EscapedString {
  private static let base64Prefix = "$base64:"
  private static let nullPrefix = "$null:"
  static let null = "$null"
  /// The first character of an escape in JSON; other programs do not escape a dollar sign.
  static let dollarInJSON = #"\u0024"#

  static func ofNull(depth: Int) -> String { depth == 0 ? null : nullPrefix + String(depth) }

  static func ofForbidden(_ string: String) -> String {
    base64Prefix + Data(string.utf8).base64EncodedString()
  }

  /// Reverses `ofForbidden`.
  static func forbidden(_ escape: String) -> String? {
    // `hasPrefix` fails if a combining character follows the prefix.
    guard escape.utf8.starts(with: base64Prefix.utf8),
      let bytes = Data(strictBase64: escape.utf8.dropFirst(base64Prefix.utf8.count)),
      let string = String(validating: bytes, as: UTF8.self), !MarkupText.allows(string),
      // A noncanonical form of base64 would change in a round trip.
      ofForbidden(string) == escape
    else { return nil }
    return string
  }

  static func depthOfNull(_ escape: String) -> Int? {
    if escape == null { return 0 }
    guard escape.utf8.starts(with: nullPrefix.utf8),
      let depth = Int(Substring(escape.utf8.dropFirst(nullPrefix.utf8.count))),
      // Rejects noncanonical numbers, as in `$null:+1`.
      depth > 0, escape == ofNull(depth: depth)
    else { return nil }
    return depth
  }
}

/// The interpretation of the strings in a file.
package enum StringEscaping: Sendable {
  /// The strings of a store, which may contain escapes.
  case escaped
  /// The strings of other programs.
  case plain
  /// Those of Foundation's `PropertyListEncoder`: `$null` is nil, and no container is shared.
  case foundation
}

extension ValueTree {
  /// The tree with a nil for each string `$null`, with which `PropertyListEncoder` represents nil.
  package var withNulls: ValueTree {
    switch self {
    case .string(EscapedString.null): .null(depth: 0)
    case .array(let elements): .array(elements.map(\.withNulls))
    case .dictionary(let members): .dictionary(members.mapValues(\.withNulls))
    default: self
    }
  }
}
