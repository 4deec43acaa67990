/// A reader of an XML property list, or of a single value in one.
///
/// The reader accepts the subset of XML 1.0 that property lists use, in UTF-8, with any character.
typealias MarkupReader = TextReader<XMLPropertyListFormat>

extension MarkupReader {
  /// Skips white space, comments and processing instructions between elements.
  mutating func skipBetweenElements() throws(FormatError) {
    while true {
      skipWhitespace()
      guard try skipCommentOrInstruction() else { return }
    }
  }

  /// Skips a comment or processing instruction and returns true if one is next.
  mutating func skipCommentOrInstruction() throws(FormatError) -> Bool {
    guard current == UInt8(ascii: "<"), position + 1 < bytes.endIndex else { return false }
    let start = position
    switch bytes[position + 1] {
    case UInt8(ascii: "!") where hasPrefix("<!--"):
      position += 4
      guard skip(past: "--") != nil else { throw failure("unterminated comment", at: start) }
      if skip(">") { return true }
      throw failure("two consecutive hyphens in a comment", at: position - 2)
    case UInt8(ascii: "?"):
      position += 2
      if try name().lowercased() == "xml" {
        throw failure("XML declaration not at the beginning of the file", at: start)
      }
      if hasPrefix("?>") || current?.isWhitespace == true, skip(past: "?>") != nil { return true }
      throw failure("unterminated processing instruction", at: start)
    default: return false
    }
  }

  /// Skips the prolog: everything before the root element.
  mutating func skipProlog() throws(FormatError) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position += 3 }
    if hasPrefix("<?xml"), bytes[position...].dropFirst(5).first?.isWhitespace == true {
      try skipDeclaration()
    }
    try skipBetweenElements()
    if hasPrefix("<!DOCTYPE") {
      try skipDocumentType()
      try skipBetweenElements()
    }
  }

  private mutating func skipDeclaration() throws(FormatError) {
    let start = position
    position += 5
    let attributes = try attributes()
    guard skip(text: "?>") else { throw failure("unterminated XML declaration", at: start) }
    let names = attributes.map(\.name)
    guard names.first == "version",
      names == ["version", "encoding", "standalone"].filter(names.contains)
    else { throw failure("invalid XML declaration", at: start) }
    for (name, value) in attributes {
      switch (name, value.lowercased()) {
      case ("version", "1.0"), ("encoding", "utf-8"), ("standalone", "yes"), ("standalone", "no"):
        break
      case ("version", _): throw failure("the XML version is not 1.0", at: start)
      case ("encoding", _):
        let isName = value.utf8.count <= 40 && value.allSatisfy { $0.isASCII && $0 != "&" }
        throw failure("the encoding \(isName ? "is \(value), but " : "")must be UTF-8", at: start)
      default: throw failure("invalid XML declaration", at: start)
      }
    }
  }

  /// Skips a document type; rejects internal definitions, which could expand to gigabytes.
  private mutating func skipDocumentType() throws(FormatError) {
    let start = position
    position += 9
    try requireWhitespace()
    _ = try name()
    skipWhitespace()
    if skip(text: "PUBLIC") {
      try requireWhitespace()
      try skipLiteral { $0 < 0x80 && !"\t\"&<>[\\]^`{|}~\u{7F}".utf8.contains($0) }
      try requireWhitespace()
      try skipLiteral()
    } else if skip(text: "SYSTEM") {
      try requireWhitespace()
      try skipLiteral()
    }
    skipWhitespace()
    if current == UInt8(ascii: "[") {
      throw failure("internal document type definitions are not supported")
    }
    guard skip(">") else { throw failure("unterminated DOCTYPE", at: start) }
  }

  private mutating func requireWhitespace() throws(FormatError) {
    let start = position
    skipWhitespace()
    guard position > start else { throw failure("expected white space") }
  }

  private mutating func skipLiteral(
    of allowed: (UInt8) -> Bool = { _ in true }
  ) throws(FormatError) {
    let start = position
    let quote = try quotationMark()
    guard let end = bytes[position...].firstIndex(of: quote) else {
      throw failure("expected a quotation mark", at: start)
    }
    if let index = bytes[position..<end].firstIndex(where: { !allowed($0) }) {
      throw failure("character not allowed in a public identifier", at: index)
    }
    position = end + 1
  }
}

extension MarkupReader {
  /// Reads an ASCII name; a property list has no other names.
  mutating func name() throws(FormatError) -> String {
    let start = position
    while let current, Self.isNamePart(current, isFirst: position == start) { position += 1 }
    guard position > start else { throw failure("expected a name") }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isNamePart(_ byte: UInt8, isFirst: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "_"), UInt8(ascii: ":"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): !isFirst
    default: false
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

  mutating func attributes() throws(FormatError) -> [(name: String, value: String)] {
    var attributes: [(name: String, value: String)] = []
    var names: Set<String> = []
    while true {
      let end = position
      skipWhitespace()
      guard let current, Self.isNamePart(current, isFirst: true) else { return attributes }
      guard position > end else { throw failure("expected white space before the attribute") }
      let start = position
      let name = try name()
      guard names.insert(name).inserted else { throw failure("duplicate attribute", at: start) }
      skipWhitespace()
      guard skip("=") else { throw failure("attribute without a value", at: start) }
      skipWhitespace()
      attributes.append((name, try attributeValue()))
    }
  }

  private mutating func attributeValue() throws(FormatError) -> String {
    let quote = try quotationMark()
    let start = position
    while let current, current != quote {
      switch current {
      case UInt8(ascii: "<"): throw failure("unexpected < in an attribute value")
      case UInt8(ascii: "&"): _ = try reference()
      default: position += 1
      }
    }
    guard !isAtEnd else { throw failure("unterminated attribute value", at: start) }
    position += 1
    return String(decoding: bytes[start..<position - 1], as: UTF8.self)
  }

  mutating func quotationMark() throws(FormatError) -> UInt8 {
    guard let current, current == UInt8(ascii: "\"") || current == UInt8(ascii: "'") else {
      throw typographicQuote(at: position) ?? failure("expected a quotation mark")
    }
    position += 1
    return current
  }
}
