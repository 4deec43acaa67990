import KeyValueStorage

extension JSONValue {
  /// On one line, with sorted keys, and with nothing in it that moves a terminal's cursor.
  var json: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .integer(let value): value.description
    case .number(let value): value.isFinite ? "\(value)" : value.nameInJSON.quotedForJSON
    case .text(let value): value.quotedForJSON
    case .list(let values): "[\(values.map(\.json).joined(separator: ", "))]"
    case .dictionary(let members):
      "{\(members.map { "\($0.key.quotedForJSON): \($0.value.json)" }.joined(separator: ", "))}"
    }
  }
}

extension String {
  /// The key of a setting, so that a line that begins with it can be taken apart again.
  var asListedKey: String {
    let isPlain =
      !isEmpty && !utf8.starts(with: "\"".utf8) && !unicodeScalars.contains(where: \.isInvisible)
    return isPlain ? self : quotedForJSON
  }

  /// As a string of JSON, with nothing in it that moves a terminal's cursor.
  var quotedForJSON: String { "\"\(unicodeScalars.map(\.escapedForJSON).joined())\"" }
}

extension Double {
  /// The name of one that is not finite, as the store's JSON files have it.
  fileprivate var nameInJSON: String { isNaN ? "NaN" : self < 0 ? "-Infinity" : "Infinity" }
}

extension Unicode.Scalar {
  fileprivate var escapedForJSON: String {
    switch self {
    case "\"", "\\": "\\\(self)"
    case "\n": "\\n"
    case "\t": "\\t"
    case _ where isInvisible:
      UTF16.encode(self)!.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    default: String(self)
    }
  }
}
