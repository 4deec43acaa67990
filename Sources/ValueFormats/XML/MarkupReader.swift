/// A reader of an XML property list, or of a single value in one.
///
/// It reads the subset of XML 1.0 that property lists use, in UTF-8, with any character. Like
/// Foundation, it accepts any content of comments, instructions and attributes.
struct MarkupReader: TextReader {
  let bytes: ArraySlice<UInt8>
  var position: Int
  /// Whether values are built as trees; otherwise, only the elements are validated.
  let makesTrees: Bool
  let escaping: StringEscaping

  init(
    _ bytes: ArraySlice<UInt8>, makesTrees: Bool, _ escaping: StringEscaping = .escaped
  ) throws(FormatError) {
    try Self.requireUTF8(bytes)
    self.bytes = bytes
    position = bytes.startIndex
    self.makesTrees = makesTrees
    self.escaping = escaping
  }

  /// Skips white space, comments and processing instructions between elements.
  mutating func skipBetweenElements() throws(FormatError) {
    repeat { skipWhitespace() } while try skipCommentOrInstruction()
  }

  /// Skips a comment or processing instruction and returns true if one is next.
  mutating func skipCommentOrInstruction() throws(FormatError) -> Bool {
    let start = position
    if skip(text: "<!--") {
      if skip(past: "-->") == nil { throw failure("unterminated comment", at: start) }
    } else if skip(text: "<?") {
      if skip(past: "?>") == nil { throw failure("unterminated processing instruction", at: start) }
    } else {
      return false
    }
    return true
  }

  /// Skips everything before the root element.
  mutating func skipProlog() throws(FormatError) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position += 3 }
    let start = position
    if hasPrefix("<?xml"), bytes[position...].dropFirst(5).first?.isWhitespace == true {
      position += 5
      let encoding = try attributes()["encoding"]
      guard skip(text: "?>") else { throw failure("invalid XML declaration", at: start) }
      guard encoding?.lowercased() ?? "utf-8" == "utf-8" else {
        throw failure("the encoding must be UTF-8", at: start)
      }
    }
    try skipBetweenElements()
    if hasPrefix("<!DOCTYPE") {
      try skipDocumentType()
      try skipBetweenElements()
    }
  }

  /// Skips a document type; rejects internal definitions, which could expand to gigabytes.
  private mutating func skipDocumentType() throws(FormatError) {
    let start = position
    while let current {
      switch current {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = try quotedText()
      case UInt8(ascii: "["):
        throw failure("internal document type definitions are not supported")
      default:
        position += 1
        if current == UInt8(ascii: ">") { return }
      }
    }
    throw failure("unterminated DOCTYPE", at: start)
  }

  /// Reads an ASCII name; a property list has no other names.
  mutating func name() throws(FormatError) -> String {
    let start = position
    while let current, Self.isNamePart(current) { position += 1 }
    guard position > start else { throw failure("expected a name") }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    default: byte.isDigit || "_:-.".utf8.contains(byte)
    }
  }

  mutating func endTag(of element: PropertyListElement) throws(FormatError) {
    let start = position
    if skip(text: "</"), try name() == element.rawValue {
      skipWhitespace()
      if skip(">") { return }
    }
    throw failure("expected </\(element.rawValue)>", at: start)
  }

  mutating func attributes() throws(FormatError) -> [String: String] {
    var attributes: [String: String] = [:]
    while true {
      skipWhitespace()
      guard let current, Self.isNamePart(current) else { return attributes }
      let name = try name()
      skipWhitespace()
      guard skip("=") else { throw failure("attribute without a value") }
      skipWhitespace()
      attributes[name] = String(decoding: try quotedText(), as: UTF8.self)
    }
  }

  private mutating func quotedText() throws(FormatError) -> ArraySlice<UInt8> {
    guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
      let end = bytes[position...].dropFirst().firstIndex(of: quote)
    else { throw failure("expected a text in quotation marks") }
    defer { position = end + 1 }
    return bytes[position..<end].dropFirst()
  }
}
