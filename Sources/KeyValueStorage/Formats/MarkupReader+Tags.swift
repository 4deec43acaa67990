/// The beginning of an element.
struct MarkupTag {
  let name: ArraySlice<UInt8>
  /// Whether it is the element's end as well, as in `<true/>`.
  let isEmpty: Bool
}

extension MarkupReader {
  /// Reads a name in ASCII; those of property lists are.
  mutating func name() throws(FormatError) -> ArraySlice<UInt8> {
    let start = position
    while let current, Self.isNamePart(current, isFirst: position == start) { position += 1 }
    guard position > start else { throw failure("a name is missing") }
    return bytes[start..<position]
  }

  private static func isNamePart(_ byte: UInt8, isFirst: Bool) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "_"), UInt8(ascii: ":"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): !isFirst
    default: false
    }
  }

  /// Reads the beginning of an element, which must be next.
  mutating func tag() throws(FormatError) -> MarkupTag {
    let start = position
    guard current == UInt8(ascii: "<") else {
      throw failure(isAtEnd ? "the text ends too early" : "text stands between elements")
    }
    position += 1
    let name = try name()
    if current != UInt8(ascii: ">") { _ = try attributes() }
    let isEmpty = current == UInt8(ascii: "/")
    if isEmpty { position += 1 }
    guard current == UInt8(ascii: ">") else { throw failure("this tag has no end", at: start) }
    position += 1
    return MarkupTag(name: name, isEmpty: isEmpty)
  }

  /// Reads the end of an element, which must be next.
  mutating func endTag(of element: PropertyListElement) throws(FormatError) {
    let start = position
    if bytes[position...].starts(with: "</".utf8) {
      position += 2
      if try name().elementsEqual(element.rawValue.utf8) {
        skipWhitespace()
        if current == UInt8(ascii: ">") {
          position += 1
          return
        }
      }
    }
    throw failure("</\(element.rawValue)> is missing", at: start)
  }

  /// Reads attributes and the white space before and after them.
  mutating func attributes() throws(FormatError) -> [(name: String, value: String)] {
    var attributes: [(name: String, value: String)] = []
    var names: Set<ArraySlice<UInt8>> = []
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
      guard self.current == UInt8(ascii: "=") else {
        throw failure("an attribute has no value", at: start)
      }
      position += 1
      skipWhitespace()
      let value = try attributeValue()
      attributes.append(
        (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
    }
  }

  private mutating func attributeValue() throws(FormatError) -> ArraySlice<UInt8> {
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
    return bytes[start..<position - 1]
  }

  mutating func quotationMark() throws(FormatError) -> UInt8 {
    guard let current, current == UInt8(ascii: "\"") || current == UInt8(ascii: "'") else {
      throw failure("a quotation mark is missing")
    }
    position += 1
    return current
  }
}
