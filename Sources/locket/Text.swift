import CLibrary
import FoundationEssentials

extension String {
  /// The text on one line, with no character that moves a terminal's cursor.
  var onOneLine: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.isInvisible ? "\u{FFFD}" : $0 }))
  }

  /// The text as one word of a shell, with no character that moves a terminal's cursor.
  var quotedForShell: String {
    if unicodeScalars.contains(where: \.isInvisible) {
      return "$'\(unicodeScalars.map(\.escapedForShell).joined())'"
    }
    let safe = !isEmpty && unicodeScalars.allSatisfy { $0.properties.isAlphabetic || $0.isSafe }
    return safe
      ? self
      : "'\(split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
  }

  /// The text as a string of JSON, with no character that moves a terminal's cursor.
  var quotedForJSON: String { "\"\(unicodeScalars.map(\.escapedForJSON).joined())\"" }

  /// The key of a setting, so that a line that begins with it can be taken apart again.
  var asListedKey: String {
    let isPlain =
      !isEmpty && !utf8.starts(with: "\"".utf8) && !unicodeScalars.contains(where: \.isInvisible)
    return isPlain ? self : quotedForJSON
  }
}

extension Unicode.Scalar {
  /// Whether it shows nothing itself, but changes how the text around it is shown.
  var isInvisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
    default: false
    }
  }

  fileprivate var isSafe: Bool {
    ("0"..."9").contains(self) || "@%+=:,./_-".unicodeScalars.contains(self)
  }

  fileprivate var escapedForShell: String {
    if self == "'" || self == "\\" { return "\\\(self)" }
    if !isInvisible { return String(self) }
    let digits = String(value, radix: 16)
    return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
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

/// A colour of a word on standard output, by its SGR code (ECMA-48).
enum TextStyle: String {
  case good = "32"
  case bad = "31"
  case waiting = "33"

  /// Whether standard output is a terminal whose colours are not declined (https://no-color.org).
  private static let isShown = {
    let environment = ProcessInfo.processInfo.environment
    return isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
      && environment["NO_COLOR", default: ""].isEmpty
  }()

  /// The text in this colour where colours are shown, and as it is elsewhere.
  func text(_ text: String) -> String {
    Self.isShown ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }
}
