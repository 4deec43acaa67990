/// A reader of XML 1.0 in UTF-8, as far as property lists need it.
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

  /// Skips white space, comments and processing instructions between elements.
  mutating func skipBetweenElements() throws(FormatError) {
    while true {
      skipWhitespace()
      guard try skipAside() else { return }
    }
  }

  /// Skips a comment or processing instruction, if one is next, and returns true then.
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
    guard skip(past: "--") != nil else { throw failure("this comment has no end", at: start) }
    guard take(">") else {
      throw failure("a comment holds two hyphens in a row", at: position - 2)
    }
  }

  private mutating func skipInstruction() throws(FormatError) {
    let start = position
    position += 2
    if try name().lowercased() == "xml" {
      throw failure("an XML declaration is not at the beginning of the file", at: start)
    }
    guard hasPrefix("?>") || current?.isWhitespace == true, skip(past: "?>") != nil else {
      throw failure("this processing instruction has no end", at: start)
    }
  }
}

extension MarkupReader {
  /// Reads the part before the first element.
  mutating func prolog() throws(FormatError) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position += 3 }
    if hasPrefix("<?xml"), bytes[position...].dropFirst(5).first?.isWhitespace == true {
      try declaration()
    }
    try skipBetweenElements()
    if hasPrefix("<!DOCTYPE") {
      try documentType()
      try skipBetweenElements()
    }
  }

  private mutating func declaration() throws(FormatError) {
    let start = position
    position += 5
    let attributes = try attributes()
    guard take(text: "?>") else { throw failure("this XML declaration has no end", at: start) }
    let names = attributes.map(\.name)
    guard names.first == "version",
      names == ["version", "encoding", "standalone"].filter(names.contains)
    else { throw failure("this XML declaration is not as XML has it", at: start) }
    for (name, value) in attributes {
      switch (name, value.lowercased()) {
      case ("version", "1.0"), ("encoding", "utf-8"), ("standalone", "yes"), ("standalone", "no"):
        break
      case ("version", _): throw failure("this is not XML 1.0", at: start)
      case ("encoding", _): throw encodingFailure(value, at: start)
      default: throw failure("this XML declaration is not as XML has it", at: start)
      }
    }
  }

  private func encodingFailure(_ name: String, at start: Int) -> FormatError {
    let isName = name.utf8.count <= 40 && name.allSatisfy { $0.isASCII && $0 != "&" }
    let encoding = isName ? "the encoding \(name)" : "another encoding"
    return failure("the file is in \(encoding), not in UTF-8", at: start)
  }

  /// Reads a document type; rejects internal definitions, with which a few bytes could expand to
  /// gigabytes.
  private mutating func documentType() throws(FormatError) {
    let start = position
    position += 9
    try requireWhitespace()
    _ = try name()
    skipWhitespace()
    if take(text: "PUBLIC") {
      try requireWhitespace()
      try skipLiteral { $0 < 0x80 && !"\t\"&<>[\\]^`{|}~\u{7F}".utf8.contains($0) }
      try requireWhitespace()
      try skipLiteral()
    } else if take(text: "SYSTEM") {
      try requireWhitespace()
      try skipLiteral()
    }
    skipWhitespace()
    if current == UInt8(ascii: "[") {
      throw failure("a document type with definitions of its own is not read")
    }
    guard take(">") else { throw failure("this DOCTYPE has no end", at: start) }
  }

  private mutating func requireWhitespace() throws(FormatError) {
    let start = position
    skipWhitespace()
    guard position > start else { throw failure("white space is missing") }
  }

  private mutating func skipLiteral(
    of allowed: (UInt8) -> Bool = { _ in true }
  ) throws(FormatError) {
    let start = position
    let quote = try quotationMark()
    guard let end = bytes[position...].firstIndex(of: quote) else {
      throw failure("a quotation mark is missing", at: start)
    }
    if let index = bytes[position..<end].firstIndex(where: { !allowed($0) }) {
      throw failure("a public identifier has no such character", at: index)
    }
    position = end + 1
  }
}
