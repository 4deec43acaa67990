#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A colour of text on the terminal, by its number in ECMA-48 (SGR).
enum Colour: Int {
  case red = 31
  case green = 32
  case yellow = 33

  /// Whether standard output is a terminal of somebody who wants colours (https://no-color.org).
  private static let isShown =
    isatty(STDOUT_FILENO) == 1 && !isSet("NO_COLOR") && variable("TERM") != "dumb"

  /// A text in this colour, if standard output is to show it.
  func text(_ text: String) -> String {
    Self.isShown ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }

  private static func isSet(_ name: String) -> Bool { variable(name).map { !$0.isEmpty } ?? false }

  private static func variable(_ name: String) -> String? {
    // The text is copied before anything could change it.
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }
}
