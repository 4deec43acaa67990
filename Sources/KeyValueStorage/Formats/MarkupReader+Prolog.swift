extension MarkupReader {
  /// Reads what comes before the first element.
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
    guard hasPrefix("?>") else { throw failure("this XML declaration has no end", at: start) }
    position += 2
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

  /// Reads a document type without definitions of its own, with which a few bytes could stand for
  /// gigabytes.
  private mutating func documentType() throws(FormatError) {
    let start = position
    position += 9
    try requireWhitespace()
    _ = try name()
    skipWhitespace()
    if hasPrefix("PUBLIC") {
      position += 6
      try requireWhitespace()
      try skipLiteral { $0 < 0x80 && !"\t\"&<>[\\]^`{|}~\u{7F}".utf8.contains($0) }
      try requireWhitespace()
      try skipLiteral()
    } else if hasPrefix("SYSTEM") {
      position += 6
      try requireWhitespace()
      try skipLiteral()
    }
    skipWhitespace()
    if current == UInt8(ascii: "[") {
      throw failure("a document type with definitions of its own is not read")
    }
    guard current == UInt8(ascii: ">") else { throw failure("this DOCTYPE has no end", at: start) }
    position += 1
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
