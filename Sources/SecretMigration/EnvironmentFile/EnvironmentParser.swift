import SecretStorage

/// Reads the variables of an `.env` file.
struct EnvironmentParser {
  struct Variable {
    let name: String
    /// The number of the line, the first being 1.
    let line: Int
    let value: Secret
  }

  private let bytes: [UInt8]
  private let path: String
  private var position = 0
  private var line = 1

  init(_ bytes: [UInt8], of path: String) {
    self.path = path
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    self.bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
  }

  mutating func variables() throws(MigrationError) -> [Variable] {
    guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else {
      throw .malformed(path: path, reason: "it is not text in UTF-8")
    }
    var variables: [Variable] = []
    while position < bytes.count {
      if let variable = try variable() { variables.append(variable) }
      try ForeignSecrets.checkCount(variables.count, of: path)
    }
    return variables
  }

  private func malformed(_ reason: String, at line: Int? = nil) -> MigrationError {
    .malformed(path: path, reason: "line \(line ?? self.line): \(reason)")
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private var isAtEndOfLine: Bool {
    switch next {
    case nil, UInt8(ascii: "\n"): true
    case UInt8(ascii: "\r"):
      position + 1 == bytes.count || bytes[position + 1] == UInt8(ascii: "\n")
    default: false
    }
  }

  private mutating func skipBlanks() {
    while let byte = next, byte.isBlank { position += 1 }
  }

  private mutating func skipLine() {
    while let byte = next, byte != UInt8(ascii: "\n") { position += 1 }
    position = min(position + 1, bytes.count)
    line += 1
  }

  /// The variable of a line; nil when there is none in it.
  private mutating func variable() throws(MigrationError) -> Variable? {
    skipBlanks()
    defer { skipLine() }
    if isAtEndOfLine || next == UInt8(ascii: "#") { return nil }
    let beginning = line
    let name = try name()
    return Variable(name: name, line: beginning, value: try value())
  }

  /// Reads up to the equals sign and beyond.
  private mutating func name() throws(MigrationError) -> String {
    var name = word()
    skipBlanks()
    if name == "export", next != UInt8(ascii: "=") {
      name = word()
      skipBlanks()
    }
    guard let first = name.utf8.first, !first.isDigit, next == UInt8(ascii: "=") else {
      throw malformed("it is no NAME=value, with a name of letters, digits and underscores")
    }
    position += 1
    skipBlanks()
    return name
  }

  private mutating func word() -> String {
    let start = position
    while let byte = next, byte.isAlphanumeric || byte == UInt8(ascii: "_") { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func value() throws(MigrationError) -> Secret {
    switch next {
    case UInt8(ascii: "'"): return try literal()
    case UInt8(ascii: "\""): return try quoted()
    case UInt8(ascii: "`"):
      throw malformed("a value in backquotes is a command to some programs; use single quotes")
    default: return try plain()
    }
  }

  /// A value without quotation marks: up to the end of the line, or to a comment.
  private mutating func plain() throws(MigrationError) -> Secret {
    let start = position
    var end = position
    while !isAtEndOfLine {
      let byte = bytes[position]
      if byte == UInt8(ascii: "#"), position == start || bytes[position - 1].isBlank { break }
      position += 1
      if !byte.isBlank { end = position }
    }
    try checkReferences(in: bytes[start..<end])
    return Secret(bytes[start..<end])
  }

  /// A value in single quotation marks, in which everything stands for itself.
  private mutating func literal() throws(MigrationError) -> Secret {
    let beginning = line
    position += 1
    let start = position
    while let byte = next {
      if byte == UInt8(ascii: "'") {
        let value = Secret(bytes[start..<position])
        position += 1
        try endLine()
        return value
      }
      if byte == UInt8(ascii: "\n") { line += 1 }
      position += 1
    }
    throw malformed("the quotation that begins there does not end", at: beginning)
  }

  /// A value in double quotation marks, in which a backslash escapes.
  private mutating func quoted() throws(MigrationError) -> Secret {
    let beginning = line
    var value: [UInt8] = []
    position += 1
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        try endLine()
        return Secret(value)
      case UInt8(ascii: "\\"):
        guard let escaped = next else { continue }
        position += 1
        try value.append(contentsOf: unescaped(escaped))
      case UInt8(ascii: "$") where next == UInt8(ascii: "{"):
        throw malformed(Self.reference)
      default:
        if byte == UInt8(ascii: "\n") { line += 1 }
        value.append(byte)
      }
    }
    throw malformed("the quotation that begins there does not end", at: beginning)
  }

  private func unescaped(_ byte: UInt8) throws(MigrationError) -> [UInt8] {
    switch byte {
    case UInt8(ascii: "n"): return [0x0a]
    case UInt8(ascii: "r"): return [0x0d]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"): return [byte]
    case 0x0a, 0x0d:
      throw malformed("a backslash at the end of a line means different things to programs")
    // Everybody keeps what is no escape.
    default: return [UInt8(ascii: "\\"), byte]
    }
  }

  private static let reference =
    "${ refers to another variable to some programs; write the value itself, in single quotes"

  private func checkReferences(in value: ArraySlice<UInt8>) throws(MigrationError) {
    for (byte, next) in zip(value, value.dropFirst())
    where byte == UInt8(ascii: "$") && next == UInt8(ascii: "{") {
      throw malformed(Self.reference)
    }
  }

  /// Lets nothing but a comment stand behind a quotation.
  private mutating func endLine() throws(MigrationError) {
    let end = position
    skipBlanks()
    if isAtEndOfLine || (next == UInt8(ascii: "#") && position > end) { return }
    throw malformed("something stands behind the quotation")
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
}
