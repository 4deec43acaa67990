/// Reads XML 1.0 in UTF-8, as far as property lists need it.
struct MarkupReader: TextReader {
  let bytes: ArraySlice<UInt8>
  var position: Int

  init(_ bytes: ArraySlice<UInt8>) throws(FormatError) {
    try Self.requireUTF8(bytes)
    self.bytes = bytes
    position = bytes.startIndex
    if let index = MarkupText.firstForbidden(in: bytes) {
      throw failure("XML does not allow this character", at: index)
    }
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
    guard current == UInt8(ascii: "<"), position + 1 < bytes.endIndex else { return false }
    switch bytes[position + 1] {
    case UInt8(ascii: "!") where hasPrefix("<!--"): try skipComment()
    case UInt8(ascii: "?"): try skipInstruction()
    default: return false
    }
    return true
  }

  private mutating func skipComment() throws(FormatError) {
    let start = position
    position += 4
    while !isAtEnd {
      if current == UInt8(ascii: "-"), hasPrefix("--") {
        guard hasPrefix("-->") else { throw failure("a comment holds two hyphens in a row") }
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
    guard hasPrefix("?>") || current?.isWhitespace == true else {
      throw failure("this processing instruction has no end", at: start)
    }
    while !isAtEnd {
      if current == UInt8(ascii: "?"), hasPrefix("?>") {
        position += 2
        return
      }
      position += 1
    }
    throw failure("this processing instruction has no end", at: start)
  }
}
