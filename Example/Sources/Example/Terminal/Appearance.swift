/// The abilities of a terminal, as its environment describes them.
struct Appearance: Equatable {
  var isUnicode = true
  var hasColors = true

  init(isUnicode: Bool = true, hasColors: Bool = true) {
    self.isUnicode = isUnicode
    self.hasColors = hasColors
  }

  init(_ environment: [String: String]) {
    let locale = environment.locale(of: "LC_CTYPE")
    let encoding = locale.split(separator: ".").dropFirst().first?.split(separator: "@").first
    isUnicode = ["UTF-8", "UTF8"].contains(encoding?.uppercased())
    // https://no-color.org
    hasColors = environment["NO_COLOR", default: ""].isEmpty
  }

  /// Whether a terminal can move its cursor, which a form needs.
  static func canMoveCursor(_ environment: [String: String]) -> Bool {
    !["", "dumb"].contains(environment["TERM", default: ""])
  }

  /// The text as far as the terminal can show it, in as many columns.
  func shown(_ text: String) -> String {
    if isUnicode { return text }
    return text.map { character in
      if character.isASCII { return String(character) }
      return Self.similar[character] ?? String(repeating: "?", count: character.columns)
    }.joined()
  }

  /// ASCII for the punctuation of the texts, in as many columns.
  private static let similar: [Character: String] = [
    "–": "-", "—": "-", "“": "\"", "”": "\"", "„": "\"", "«": "\"", "»": "\"", "’": "'", "…": ".",
  ]

  /// One of two texts.
  private func either(_ unicode: String, _ ascii: String) -> String { isUnicode ? unicode : ascii }

  /// The sign of a hidden character.
  var dot: String { either("•", "*") }
  var ellipsis: String { either("…", "...") }
  var filled: String { either("█", "#") }
  var empty: String { either("░", ".") }

  /// A sign that turns from step to step.
  func spinner(_ step: Int) -> String {
    let signs = isUnicode ? ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"] : ["|", "/", "-", "\\"]
    return signs[step % signs.count]
  }
}

extension [String: String] {
  /// The locale for one of its categories, by POSIX (XBD 8.2).
  func locale(of category: String) -> String {
    ["LC_ALL", category, "LANG"].lazy.compactMap { self[$0] }.first { !$0.isEmpty } ?? "C"
  }
}

/// The style of a piece of text.
enum TextStyle {
  case plain, bold, dim
  /// A place to type in.
  case field
  case good, bad, waiting

  /// The code of the style (ECMA-48, SGR); nil where it has none.
  func code(hasColors: Bool) -> String? {
    switch self {
    case .plain: nil
    case .bold: "1"
    case .dim: "2"
    case .field: "4"
    case .good: hasColors ? "32" : nil
    case .bad: hasColors ? "31" : "1"
    case .waiting: hasColors ? "33" : nil
    }
  }
}
