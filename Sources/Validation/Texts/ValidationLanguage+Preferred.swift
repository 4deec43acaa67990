extension ValidationLanguage {
  /// The languages that the module has texts in.
  public static let all: [ValidationLanguage] = [.english, .german, .spanish, .russian]

  /// The first language that somebody prefers and that there are texts in; else English.
  ///
  /// - Parameters:
  ///   - codes: What is preferred, best first, as BCP 47 or POSIX write it: `es-MX`, `de_AT.UTF-8`, or several
  ///     with colons between them as in the environment variable `LANGUAGE`. `C` and `POSIX` are English. A
  ///     language is found by its exact code first, then without its regions, then in whatever region there is.
  ///   - languages: What there are texts in.
  /// - Returns: The language whose texts to use.
  public static func preferred(
    _ codes: [String], among languages: [ValidationLanguage] = all
  ) -> ValidationLanguage {
    for code in codes.flatMap({ $0.split(separator: ":") }) {
      var subtags = subtags(of: code)
      if subtags == ["c"] || subtags == ["posix"] { return .english }
      while let primary = subtags.first {
        if let match = languages.first(where: { Self.subtags(of: $0.code[...]) == subtags }) {
          return match
        }
        if subtags.count == 1,
          let match = languages.first(where: { Self.subtags(of: $0.code[...]).first == primary })
        {
          return match
        }
        subtags.removeLast()
      }
    }
    return .english
  }

  /// The parts of a code without character set and variant, which POSIX writes after `.` and `@`.
  private static func subtags(of code: Substring) -> [String] {
    code.prefix { $0 != "." && $0 != "@" }.split { $0 == "-" || $0 == "_" }
      .map { $0.lowercased() }
  }
}
