/// Reads XML 1.0 in UTF-8, as far as property lists need it.
struct MarkupReader {
  let bytes: ArraySlice<UInt8>
  /// An index of the bytes.
  var position: Int

  init(_ bytes: ArraySlice<UInt8>) throws(FormatError) {
    self.bytes = bytes
    position = bytes.startIndex
    do {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      let offset = error.byteOffsets.lowerBound
      throw FormatError(reason: "the text is not valid UTF-8", offset: offset)
    }
    if let index = MarkupText.firstForbidden(in: bytes) {
      throw failure("XML does not allow this character", at: index)
    }
  }

  var isAtEnd: Bool { position == bytes.endIndex }

  var next: UInt8? { isAtEnd ? nil : bytes[position] }

  static func isWhitespace(_ byte: UInt8?) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D: true
    default: false
    }
  }

  func failure(_ reason: String, at index: Int? = nil) -> FormatError {
    FormatError(reason: reason, offset: (index ?? position) - bytes.startIndex)
  }

  func isAt(_ text: StaticString) -> Bool {
    bytes[position...].starts(with: text.description.utf8)
  }

  mutating func skipWhitespace() {
    while Self.isWhitespace(next) { position += 1 }
  }

  /// Skips what may stand between elements: white space, comments and processing instructions.
  mutating func skipBetweenElements() throws(FormatError) {
    while true {
      skipWhitespace()
      guard try skipAside() else { return }
    }
  }

  /// Skips one comment or processing instruction, if one is next.
  mutating func skipAside() throws(FormatError) -> Bool {
    guard next == UInt8(ascii: "<"), position + 1 < bytes.endIndex else { return false }
    switch bytes[position + 1] {
    case UInt8(ascii: "!") where isAt("<!--"): try skipComment()
    case UInt8(ascii: "?"): try skipInstruction()
    default: return false
    }
    return true
  }

  private mutating func skipComment() throws(FormatError) {
    let start = position
    position += 4
    while !isAtEnd {
      if next == UInt8(ascii: "-"), isAt("--") {
        guard isAt("-->") else { throw failure("a comment holds two hyphens in a row") }
        position += 3
        return
      }
      position += 1
    }
    throw failure("this comment has no end", at: start)
  }

  private mutating func skipInstruction() throws(FormatError) {
    let start = position
    position += 2
    let target = try name()
    if String(decoding: target, as: UTF8.self).lowercased() == "xml" {
      throw failure("an XML declaration is not at the beginning of the file", at: start)
    }
    guard isAt("?>") || Self.isWhitespace(next) else {
      throw failure("this processing instruction has no end", at: start)
    }
    while !isAtEnd {
      if next == UInt8(ascii: "?"), isAt("?>") {
        position += 2
        return
      }
      position += 1
    }
    throw failure("this processing instruction has no end", at: start)
  }
}
