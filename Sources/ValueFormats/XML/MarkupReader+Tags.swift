extension MarkupReader {
  /// Reads a name in ASCII, as all names of property lists are.
  mutating func name() throws(FormatError) -> String {
    let start = position
    while let current, Self.isNamePart(current, isFirst: position == start) { position += 1 }
    guard position > start else { throw failure("a name is missing") }
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

  /// Reads a start tag, which must be next; an empty one also ends the element, as in `<true/>`.
  mutating func tag() throws(FormatError) -> (name: String, isEmpty: Bool) {
    let start = position
    guard take("<") else {
      throw failure(isAtEnd ? "the text ends too early" : "text stands between elements")
    }
    let name = try name()
    if current != UInt8(ascii: ">") { _ = try attributes() }
    let isEmpty = take("/")
    guard take(">") else { throw failure("this tag has no end", at: start) }
    return (name, isEmpty)
  }

  /// Reads the end tag of an element, which must be next.
  mutating func endTag(of element: PropertyListElement) throws(FormatError) {
    let start = position
    if take(text: "</"), try name() == element.rawValue {
      skipWhitespace()
      if take(">") { return }
    }
    throw failure("</\(element.rawValue)> is missing", at: start)
  }

  /// Reads attributes and the white space around them.
  mutating func attributes() throws(FormatError) -> [(name: String, value: String)] {
    var attributes: [(name: String, value: String)] = []
    var names: Set<String> = []
    while true {
      let end = position
      skipWhitespace()
      guard let current, Self.isNamePart(current, isFirst: true) else { return attributes }
      guard position > end else { throw failure("white space is missing before an attribute") }
      let start = position
      let name = try name()
      guard names.insert(name).inserted else {
        throw failure("an attribute occurs twice", at: start)
      }
      skipWhitespace()
      guard take("=") else { throw failure("an attribute has no value", at: start) }
      skipWhitespace()
      attributes.append((name, try attributeValue()))
    }
  }

  private mutating func attributeValue() throws(FormatError) -> String {
    let quote = try quotationMark()
    let start = position
    while let current, current != quote {
      switch current {
      case UInt8(ascii: "<"): throw failure("an attribute holds a tag, or has no end")
      case UInt8(ascii: "&"): _ = try reference()
      default: position += 1
      }
    }
    guard !isAtEnd else { throw failure("this attribute has no end", at: start) }
    position += 1
    return String(decoding: bytes[start..<position - 1], as: UTF8.self)
  }

  mutating func quotationMark() throws(FormatError) -> UInt8 {
    guard let current, current == UInt8(ascii: "\"") || current == UInt8(ascii: "'") else {
      throw failure("a quotation mark is missing")
    }
    position += 1
    return current
  }
}
