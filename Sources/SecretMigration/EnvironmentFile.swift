public import FoundationEssentials
import SecretStorage

extension ForeignSecrets {
  /// Reads the variables of a `.env` file.
  ///
  /// Each variable becomes a generic password of the service with its name as the account, and its
  /// value in UTF-8, which a `@GenericPassword` property of type `String` can read. A repeated
  /// variable with the same value is returned once. Text that python-dotenv and motdotla/dotenv
  /// interpret differently is an error; <doc:ForeignFormats> describes the dialect.
  ///
  /// - Returns: The variables, in the order of the file.
  /// - Throws: ``MigrationError/malformed(path:reason:)`` with the line, including for a variable
  ///   with two different values; ``MigrationError/unsupported(path:reason:)`` for more than 64 MiB
  ///   or 100,000 variables, or a line or quoted value of more than 16 MiB and 64 KiB;
  ///   ``MigrationError/invalid(_:)`` for an empty service; or
  ///   ``MigrationError/system(call:path:code:)``.
  public static func environmentFile(at url: URL, service: String) throws -> ForeignSecrets {
    if service.isEmpty { throw MigrationError.invalid("The service must not be empty") }
    let (file, bytes) = try SourceFile.read(url)
    var parser = try EnvironmentParser(bytes, of: file.path)
    var secrets: [ForeignSecret] = []
    var seen: [String: EnvironmentParser.Variable] = [:]
    for variable in try parser.variables() {
      if let earlier = seen[variable.name] {
        guard earlier.value == variable.value else {
          throw MigrationError.malformed(
            path: file.path,
            reason: """
              line \(variable.line): the variable has a different value on line \(earlier.line); \
              remove one of the two
              """)
        }
        continue
      }
      seen[variable.name] = variable
      secrets.append(
        ForeignSecret(
          position: "line \(variable.line)",
          identity: .generic(service: service, account: variable.name), secret: variable.value))
    }
    return ForeignSecrets(secrets: secrets, unreadable: [], file: file)
  }
}

/// A parser of the `.env` files that python-dotenv and motdotla/dotenv interpret identically.
///
/// If these most common parsers read different values, it is unknown which one an app used.
struct EnvironmentParser {
  struct Variable {
    let name: String
    /// The number of its first line.
    let line: Int
    let value: Secret
  }

  private let path: String
  /// The maximum size of a line or a quoted value, in bytes; no secret and name are longer.
  private let sizeLimit: Int
  /// The unparsed rest of the file, with line feeds as line endings.
  private var rest: Substring.UnicodeScalarView
  private var line = 1

  init(
    _ bytes: [UInt8], of path: String,
    sizeLimit: Int = ItemLimits.secretSize + ItemLimits.stringSize
  ) throws(MigrationError) {
    self.path = path
    self.sizeLimit = sizeLimit
    if bytes.contains(0) { throw .malformed(path: path, reason: "it contains a NUL byte") }
    let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    let lines = bytes.replacing([carriageReturn, lineFeed], with: [lineFeed])
      .map { $0 == carriageReturn ? lineFeed : $0 }
    guard let content = String(validating: lines, as: UTF8.self) else {
      throw .malformed(path: path, reason: "it is not valid UTF-8")
    }
    rest = content.unicodeScalars[...]
  }

  mutating func variables() throws(MigrationError) -> [Variable] {
    if rest.first == "\u{FEFF}" {
      throw malformed(
        "some programs treat a byte order mark as part of the first variable's name; remove it")
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

  /// Throws `unsupported` if the text before an ASCII character is too long, without parsing it.
  private func checkSize(before end: Unicode.Scalar) throws(MigrationError) {
    let start = Substring(rest).utf8.prefix(sizeLimit + 1)
    if start.count > sizeLimit, !start.contains(UInt8(ascii: end)) {
      throw .unsupported(
        path: path,
        reason: """
          line \(line): a line or a quoted value has more than \(sizeLimit) bytes, which is the limit
          """)
    }
  }

  /// Parses one line, or several for a quoted value; returns nil for a line without a variable.
  private mutating func variable() throws(MigrationError) -> Variable? {
    try checkSize(before: "\n")
    skipBlanks()
    let firstLine = line
    if rest.isEmpty || rest.first == "\n" || rest.first == "#" {
      try endLine()
      return nil
    }
    let name = try name()
    let isQuoted = rest.first == "'" || rest.first == "\""
    let value = isQuoted ? try quotedValue() : try unquotedValue()
    if let opening = value.utf8.firstRange(of: "${".utf8),
      value.utf8[opening.upperBound...].contains(UInt8(ascii: "}"))
    {
      throw malformed(
        "some programs replace ${…} with the value of another variable; write that value instead",
        at: firstLine)
    }
    try endLine()
    return Variable(name: name, line: firstLine, value: Secret(value.utf8))
  }

  private mutating func name() throws(MigrationError) -> String {
    var name = identifier()
    let isSpaced = rest.first?.isBlank == true
    skipBlanks()
    if name == "export", isSpaced {
      if rest.first == "=" {
        throw malformed(
          "some programs ignore a variable named export with a space after it; write `export=`")
      }
      name = identifier()
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

  private mutating func identifier() -> String {
    let identifier = rest.prefix(while: \.isPartOfName)
    rest = rest[identifier.endIndex...]
    return String(identifier)
  }

  private mutating func unquotedValue() throws(MigrationError) -> String {
    if rest.first == "`" {
      throw malformed(
        "some programs treat backticks as part of the value; use single quotation marks")
    }
    let value = rest
    var end = value.startIndex
    while let scalar = rest.first, scalar != "\n" {
      if scalar == "#" {
        guard end < rest.startIndex, end > value.startIndex else {
          throw malformed(
            """
            some programs treat the first `#` as the start of a comment, and others as part of the \
            value; put the value, without any comment, in quotation marks
            """)
        }
        break
      }
      try checkLineEnding(scalar)
      rest.removeFirst()
      if !scalar.isBlank { end = rest.startIndex }
    }
    let trimmed = value[..<end]
    if trimmed.first?.isAmbiguousWhitespace == true || trimmed.last?.isAmbiguousWhitespace == true {
      throw malformed(
        "some programs trim this invisible character from the value; use quotation marks")
    }
    return String(trimmed)
  }

  private mutating func quotedValue() throws(MigrationError) -> String {
    let firstLine = line
    let quote = rest.removeFirst()
    try checkSize(before: quote)
    var value = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar == quote { return String(value) }
      if scalar == "\n" { line += 1 }
      value.append(scalar == "\\" ? try escapedCharacter(in: quote) : scalar)
    }
    throw malformed("the closing quotation mark is missing", at: firstLine)
  }

  /// Parses the rest of an escape sequence after its backslash, and returns its character; a
  /// backslash that begins no escape sequence stands for itself.
  private mutating func escapedCharacter(
    in quote: Unicode.Scalar
  ) throws(MigrationError) -> Unicode.Scalar {
    let isDouble = quote == "\""
    guard let next = rest.first else { return "\\" }
    if isDouble, next == "n" || next == "r" {
      rest.removeFirst()
      return next == "n" ? "\n" : "\r"
    }
    if (isDouble ? "\\'\"abftv" : "\\'").unicodeScalars.contains(next) {
      throw malformed(
        "some programs remove the backslash of this escape sequence; use different quotation marks")
    }
    return "\\"
  }

  private mutating func skipBlanks() { rest = rest.drop(while: \.isBlank) }

  /// Parses blanks, a comment and the end of the line.
  private mutating func endLine() throws(MigrationError) {
    skipBlanks()
    if rest.first == "#" {
      while let scalar = rest.first, scalar != "\n" {
        try checkLineEnding(scalar)
        rest.removeFirst()
      }
    }
    guard rest.isEmpty || rest.popFirst() == "\n" else {
      throw malformed("unexpected text after the closing quotation mark; remove it")
    }
    line += 1
  }

  private func checkLineEnding(_ scalar: Unicode.Scalar) throws(MigrationError) {
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
  fileprivate var isAmbiguousWhitespace: Bool {
    switch self {
    case "\u{1C}"..."\u{1F}", "\u{85}", "\u{FEFF}": true
    default: false
    }
  }
}
