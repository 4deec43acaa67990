import CLibrary
import FoundationEssentials
import ValueFormats

extension String {
  /// The text on one line, with replacements for characters that affect the terminal.
  var onOneLine: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.isInvisible ? "\u{FFFD}" : $0 }))
  }

  /// The text as one word of a shell, with escapes for characters that affect the terminal.
  var quotedForShell: String {
    if unicodeScalars.contains(where: \.isInvisible) {
      return "$'\(unicodeScalars.map(\.escapedForShell).joined())'"
    }
    let safe = !isEmpty && unicodeScalars.allSatisfy { $0.properties.isAlphabetic || $0.isSafe }
    return safe
      ? self
      : "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
  }

  /// Creates a text of bytes, with escapes for characters that affect the terminal, except tabs and
  /// newlines, and for bytes that are not UTF-8.
  init(escaping bytes: [UInt8]) {
    func shown(_ scalar: Unicode.Scalar) -> String {
      scalar.isInvisible && scalar != "\n" && scalar != "\t" ? scalar.escaped : String(scalar)
    }
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text.unicodeScalars.reduce(into: "") { $0 += shown($1) }
    } else {
      self = bytes.reduce(into: "") { text, byte in
        text += byte < 0x80 ? shown(Unicode.Scalar(byte)) : "\\x\(String(byte, radix: 16))"
      }
    }
  }

  /// The text as a JSON string, with escapes for characters that affect the terminal.
  var quotedForJSON: String { "\"\(unicodeScalars.map(\.escapedForJSON).joined())\"" }

  /// The text as the key of a setting, which can be parsed at the beginning of a line.
  var asListedKey: String {
    let isPlain =
      !isEmpty && !utf8.starts(with: "\"".utf8) && !unicodeScalars.contains(where: \.isInvisible)
    return isPlain ? self : quotedForJSON
  }
}

extension Unicode.Scalar {
  fileprivate var isSafe: Bool {
    ("0"..."9").contains(self) || "@%+=:,./_-".unicodeScalars.contains(self)
  }

  fileprivate var escapedForShell: String {
    if self == "'" || self == "\\" { return "\\\(self)" }
    if !isInvisible { return String(self) }
    // The escapes of bytes mean the same in every locale.
    return String(self).utf8.map { byte in
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }.joined()
  }

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

/// A color of text on standard output, by its SGR code (ECMA-48).
enum TextStyle: String {
  case good = "32"
  case bad = "31"
  case waiting = "33"

  /// Whether standard output is a terminal with colors that are not disabled (no-color.org).
  private static let isShown = {
    let environment = ProcessInfo.processInfo.environment
    return isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
      && environment["NO_COLOR", default: ""].isEmpty
  }()

  /// Returns the text in this color, if colors are shown.
  func text(_ text: String) -> String {
    Self.isShown ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }
}
