import SecretStorage

/// A parser for the `.env` files that python-dotenv and motdotla/dotenv interpret identically.
///
/// These are the two most common parsers, and they differ in some details. Text that they interpret
/// differently is an error, because it is unknown which of the values the app used.
struct EnvironmentParser {
  struct Variable {
    let name: String
    /// The line number, starting at 1.
    let line: Int
    let value: Secret
  }

  private let path: String
  /// The content of the file, with line feeds as line endings.
  private let text: String
  private var rest: Substring.UnicodeScalarView
  private var line = 1

  init(_ bytes: [UInt8], of path: String) throws(MigrationError) {
    self.path = path
    guard let text = String(validating: Self.withLineFeeds(bytes), as: UTF8.self),
      !bytes.contains(0)
    else { throw .malformed(path: path, reason: "it is not valid UTF-8") }
    self.text = text
    rest = text.unicodeScalars[...]
  }

  private static func withLineFeeds(_ bytes: [UInt8]) -> [UInt8] {
    let (feed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    guard bytes.contains(carriageReturn) else { return bytes }
    var last: UInt8?
    return bytes.compactMap { byte in
      defer { last = byte }
      if byte == feed, last == carriageReturn { return nil }
      return byte == carriageReturn ? feed : byte
    }
  }

  mutating func variables() throws(MigrationError) -> [Variable] {
    if rest.first == "\u{FEFF}" {
      throw malformed(
        "some programs treat a byte order mark as part of the first name; save the file without it")
    }
    var variables: [Variable] = []
    while !rest.isEmpty {
      if let variable = try variable() { variables.append(variable) }
      try ForeignSecrets.checkCount(variables.count, of: path)
    }
    return variables
  }

  private func malformed(_ reason: String, at line: Int? = nil) -> MigrationError {
    .malformed(path: path, reason: "line \(line ?? self.line): \(reason)")
  }

  /// Parses one line, or several in the case of a quoted value; returns nil if it has no variable.
  private mutating func variable() throws(MigrationError) -> Variable? {
    skipBlanks()
    let firstLine = line
    if rest.isEmpty || rest.first == "\n" || rest.first == "#" {
      try endLine()
      return nil
    }
    let name = try name()
    let value = try value()
    if let opening = value.utf8.firstRange(of: "${".utf8),
      value.utf8[opening.upperBound...].contains(UInt8(ascii: "}"))
    {
      throw malformed(
        "some programs replace ${…} by the value of another variable; write that value instead",
        at: firstLine)
    }
    try endLine()
    return Variable(name: name, line: firstLine, value: Secret(value.utf8))
  }

  /// Parses a name, up to the equals sign and the blanks that follow it.
  private mutating func name() throws(MigrationError) -> String {
    var name = word()
    let isSpaced = rest.first?.isBlank == true
    skipBlanks()
    if name == "export", isSpaced {
      if rest.first == "=" {
        throw malformed(
          "some programs ignore a variable named export with a blank after it; write `export=`")
      }
      name = word()
      skipBlanks()
    }
    guard !name.isEmpty, rest.first == "=" else {
      throw malformed(
        """
        expected NAME=value, with a name of letters, digits, underscores, dots and hyphens; \
        correct or remove the line
        """)
    }
    rest.removeFirst()
    skipBlanks()
    return name
  }

  private mutating func word() -> String {
    let word = rest.prefix(while: \.isPartOfName)
    rest = rest[word.endIndex...]
    return String(word)
  }

  private mutating func value() throws(MigrationError) -> String {
    switch rest.first {
    case "'", "\"": return try quotation()
    case "`":
      throw malformed(
        "some programs treat backquotes as part of the value; use single quotation marks")
    default: return try plain()
    }
  }

  /// Parses an unquoted value, up to a comment or the end of the line.
  private mutating func plain() throws(MigrationError) -> String {
    let value = rest
    var end = value.startIndex
    while let scalar = rest.first, scalar != "\n" {
      if scalar == "#" {
        guard end < rest.startIndex, end > value.startIndex else {
          throw malformed(
            """
            `#` begins a comment only in some programs unless a value and a blank precede it; use \
            quotation marks
            """)
        }
        break
      }
      try check(scalar)
      rest.removeFirst()
      if !scalar.isBlank { end = rest.startIndex }
    }
    let trimmed = value[..<end]
    if trimmed.first?.isTrimmedBySome == true || trimmed.last?.isTrimmedBySome == true {
      throw malformed(
        "some programs remove the invisible character at the start or end of the value; use quotation marks"
      )
    }
    return String(trimmed)
  }

  /// Parses a quoted value, which may have several lines.
  private mutating func quotation() throws(MigrationError) -> String {
    let firstLine = line
    let mark = rest.removeFirst()
    var value = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar == mark { return String(value) }
      if scalar == "\n" { line += 1 }
      value.append(scalar == "\\" ? try escaped(in: mark) : scalar)
    }
    throw malformed("the closing quotation mark is missing", at: firstLine)
  }

  /// Parses the rest of an escape sequence after a backslash in quotation marks.
  private mutating func escaped(in mark: Unicode.Scalar) throws(MigrationError) -> Unicode.Scalar {
    switch (mark, rest.first) {
    case ("\"", "n"):
      rest.removeFirst()
      return "\n"
    case ("\"", "r"):
      rest.removeFirst()
      return "\r"
    case (_, "\\"), (_, "'"), ("\"", "\""), ("\"", "a"), ("\"", "b"), ("\"", "f"), ("\"", "t"),
      ("\"", "v"):
      throw malformed(
        "some programs remove the backslash of this escape sequence; use other quotation marks, or none"
      )
    default: return "\\"
    }
  }

  private mutating func skipBlanks() {
    rest = rest.drop(while: \.isBlank)
  }

  /// Parses blanks, a comment and the end of the line.
  private mutating func endLine() throws(MigrationError) {
    skipBlanks()
    if rest.first == "#" {
      while let scalar = rest.first, scalar != "\n" {
        try check(scalar)
        rest.removeFirst()
      }
    }
    guard rest.isEmpty || rest.popFirst() == "\n" else {
      throw malformed("unexpected text after the closing quotation mark; remove it")
    }
    line += 1
  }

  /// Throws for an unquoted character that some programs treat as a line ending.
  private func check(_ scalar: Unicode.Scalar) throws(MigrationError) {
    if scalar == "\u{2028}" || scalar == "\u{2029}" {
      throw malformed(
        "some programs treat U+\(String(scalar.value, radix: 16)) as a line ending; remove it")
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isPartOfName: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9", "_", ".", "-": true
    default: false
    }
  }

  /// Whether both Python and JavaScript treat the character as whitespace within a line.
  fileprivate var isBlank: Bool {
    switch self {
    case "\t", "\u{B}", "\u{C}", " ", "\u{A0}", "\u{1680}", "\u{2000}"..."\u{200A}", "\u{202F}",
      "\u{205F}", "\u{3000}":
      true
    default: false
    }
  }

  /// Whether only one of Python and JavaScript treats the character as whitespace.
  fileprivate var isTrimmedBySome: Bool {
    switch self {
    case "\u{1C}"..."\u{1F}", "\u{85}", "\u{FEFF}": true
    default: false
    }
  }
}
