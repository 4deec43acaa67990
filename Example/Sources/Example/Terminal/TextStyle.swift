import FoundationEssentials

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// How a piece of text is shown.
enum TextStyle {
  case plain, bold, dim
  /// A place to type in.
  case field
  case good, bad, waiting

  /// What a terminal is told (ECMA-48, SGR); nil for nothing.
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

extension TextStyle {
  /// Whether standard output is a terminal of somebody who wants colours.
  private static let isShown = {
    let environment = ProcessInfo.processInfo.environment
    return isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
      && Appearance(environment).hasColors
  }()

  /// A text in this style, if standard output is to show it.
  func text(_ text: String) -> String {
    guard Self.isShown, let code = code(hasColors: true) else { return text }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }
}
