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

  /// Reads a start tag or an empty-element tag, such as `<true/>`, which must be next.
  mutating func tag() throws(FormatError) -> (name: String, isEmpty: Bool) {
    let start = position
    guard skip("<") else {
      throw failure(isAtEnd ? "unexpected end of input" : "unexpected text between elements")
    }
    let name = try name()
    if current != UInt8(ascii: ">") { _ = try attributes() }
    let isEmpty = skip("/")
    guard skip(">") else { throw failure("unterminated tag", at: start) }
    return (name, isEmpty)
  }

  /// Skips the end tag of an element, which must be next.
  mutating func endTag(of element: PropertyListElement) throws(FormatError) {
    let start = position
    if skip(text: "</"), try name() == element.rawValue {
      skipWhitespace()
      if skip(">") { return }
    }
    throw failure("expected </\(element.rawValue)>", at: start)
  }

  /// Reads attributes and the surrounding white space.
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
      throw failure("expected a quotation mark")
    }
    position += 1
    return current
  }
}
