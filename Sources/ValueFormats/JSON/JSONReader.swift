/// A strict reader of JSON (RFC 8259).
package typealias JSONReader = TextReader<JSONFormat>

extension JSONReader {
  mutating func requireEnd() throws(FormatError) {
    skipWhitespace()
    if !isAtEnd { throw unexpected("unexpected data after the end") }
  }

  /// Returns an error at the position; its reason mentions the end of the input or a comment there.
  func unexpected(_ reason: String) -> FormatError {
    switch current {
    case nil: failure("unexpected end of input: \(reason)")
    case 0: failure("unexpected NUL byte")
    case UInt8(ascii: "#"): failure("comments are not allowed in JSON")
    case UInt8(ascii: "/") where hasPrefix("//") || hasPrefix("/*"):
      failure("comments are not allowed in JSON")
    default: typographicQuote(at: position) ?? failure(reason)
    }
  }

  /// Reads a value nested in `depth` containers; the result is valid only if `makesTrees` is true.
  mutating func value(in depth: Int) throws(FormatError) -> ValueTree {
    switch current {
    case UInt8(ascii: "\""):
      let string = try skipString()
      guard makesTrees else { return .null(depth: 0) }
      let text = try content(of: string)
      if string.hasEscapes, escaping == .escaped,
        bytes[(string.start + 1)...].starts(with: EscapedString.dollarInJSON.utf8),
        let depth = EscapedString.depthOfNull(text), depth > 0
      {
        return .null(depth: depth)
      }
      return .string(text)
    case UInt8(ascii: "{"):
      var dictionary: [StoredKey: ValueTree] = [:]
      let start = position
      try members(in: depth) { (reader, key) throws(FormatError) in
        let value = try reader.value(in: depth + 1)
        guard reader.makesTrees else { return }
        let name = StoredKey(try reader.content(of: key))
        if dictionary.updateValue(value, forKey: name) != nil {
          let first = reader.member(name, ofObjectAt: start, in: depth)?.key
          throw reader.duplicateKey(at: key.start, first: first)
        }
      }
      return .dictionary(dictionary)
    case UInt8(ascii: "["):
      var array: [ValueTree] = []
      try elements(in: depth, until: "]", "closing bracket") { (reader) throws(FormatError) in
        let element = try reader.value(in: depth + 1)
        if reader.makesTrees { array.append(element) }
      }
      return .array(array)
    default: return try scalar()
    }
  }

  /// Reads an object nested in `depth` containers; a closure reads the value of each member.
  mutating func members(
    in depth: Int, value: (inout JSONReader, _ key: JSONString) throws(FormatError) -> Void
  ) throws(FormatError) {
    try elements(in: depth, until: "}", "closing brace") { (reader) throws(FormatError) in
      guard reader.current == UInt8(ascii: "\"") else {
        throw reader.unexpected("expected a key in double quotation marks")
      }
      let key = try reader.skipString()
      reader.skipWhitespace()
      guard reader.skip(":") else { throw reader.unexpected("expected a colon") }
      reader.skipWhitespace()
      try value(&reader, key)
    }
  }

  /// Returns the positions of a key and its value in an object; nil if the key is missing.
  private func member(
    _ name: StoredKey, ofObjectAt start: Int, in depth: Int
  ) -> (key: Int, value: Int)? {
    var (reader, found) = (self, (key: Int, value: Int)?.none)
    reader.position = start
    // An error ends the search.
    try? reader.members(in: depth) { (reader, key) throws(FormatError) in
      if StoredKey(try reader.content(of: key)) == name {
        found = (key.start, reader.position)
        throw .endOfSearch
      }
      _ = try reader.value(in: depth + 1)
    }
    return found
  }

  /// Moves to a part of the value that is next; returns false if there is none.
  mutating func move(to step: ValueStep, in depth: Int) -> Bool {
    var found: Int?
    switch (step, current) {
    case (.key(let key), UInt8(ascii: "{")):
      found = member(key, ofObjectAt: position, in: depth)?.value
    case (.index(let index), UInt8(ascii: "[")):
      var (reader, next) = (self, 0)
      // An error ends the search.
      try? reader.elements(in: depth, until: "]", "closing bracket") {
        (reader) throws(FormatError) in
        if next == index {
          found = reader.position
          throw .endOfSearch
        }
        next += 1
        _ = try reader.value(in: depth + 1)
      }
    default: break
    }
    if let found { position = found }
    return found != nil
  }

  /// Reads the elements of an array, or the members of an object; a closure reads each of them.
  @inline(__always)
  private mutating func elements(
    in depth: Int, until end: Unicode.Scalar, _ endName: String,
    element: (inout JSONReader) throws(FormatError) -> Void
  ) throws(FormatError) {
    try FormatError.checkDepth(depth, at: position - bytes.startIndex)
    position += 1
    skipWhitespace()
    if skip(end) { return }
    while true {
      try element(&self)
      skipWhitespace()
      if skip(end) { return }
      guard skip(",") else { throw unexpected("expected a comma or a \(endName)") }
      skipWhitespace()
      if current == UInt8(ascii: end) { throw failure("trailing comma before the \(endName)") }
    }
  }

  mutating func scalar() throws(FormatError) -> ValueTree {
    guard let current else { throw unexpected("expected a value") }
    switch current {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      let start = position
      try skipNumber()
      let text = bytes[start..<(makesTrees ? position : start)]
      return .number(.text(String(decoding: text, as: UTF8.self)))
    case UInt8(ascii: "t") where skip(text: "true"): return .bool(true)
    case UInt8(ascii: "f") where skip(text: "false"): return .bool(false)
    case UInt8(ascii: "n") where skip(text: "null"): return .null(depth: 0)
    case UInt8(ascii: "+"): throw failure("a number must not begin with a plus sign")
    case UInt8(ascii: "."): throw failure("expected a digit before the decimal point")
    case UInt8(ascii: "'"): throw failure("a string must be in double quotation marks")
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
      throw failure("expected true, false, null, or a string in double quotation marks")
    default: throw unexpected("expected a value")
    }
  }

  package static func isNumber(_ string: String) -> Bool {
    guard var reader = try? JSONReader(ArraySlice(string.utf8), makesTrees: false),
      (try? reader.skipNumber()) != nil
    else { return false }
    return reader.isAtEnd
  }

  mutating func skipNumber() throws(FormatError) {
    _ = skip("-")
    let start = position
    try skipDigits()
    if bytes[start] == UInt8(ascii: "0"), position > start + 1 {
      throw failure("leading zero in a number", at: start)
    }
    if skip(".") { try skipDigits() }
    if skip("e") || skip("E") {
      if !skip("-") { _ = skip("+") }
      try skipDigits()
    }
  }

  private mutating func skipDigits() throws(FormatError) {
    let start = position
    while current?.isDigit == true { position += 1 }
    if position == start { throw unexpected("expected a digit") }
  }
}

/// The position of a string in the input, including the quotation marks.
struct JSONString {
  let start: Int
  let end: Int
  let hasEscapes: Bool
}

extension JSONReader {
  /// Skips a string, from its opening quotation mark.
  mutating func skipString() throws(FormatError) -> JSONString {
    let start = position
    var hasEscapes = false
    position += 1
    while true {
      position = endOfUnescapedCharacters()
      switch current {
      case UInt8(ascii: "\""):
        position += 1
        return JSONString(start: start, end: position, hasEscapes: hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        _ = try escape()
      case nil, UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        for index in start..<position where bytes[index] == 0xE2 {
          if let error = typographicQuote(at: index, inStringUpTo: position) { throw error }
        }
        if isAtEnd { throw unexpected("expected a closing quotation mark") }
        throw failure("expected a closing quotation mark before the end of the line")
      case 0: throw unexpected("expected a closing quotation mark")
      default: throw failure("unescaped control character")
      }
    }
  }

  /// Returns the position of the next quotation mark, backslash or control character, or the end.
  private func endOfUnescapedCharacters() -> Int {
    let span = bytes.span
    var index = position - bytes.startIndex
    while index < span.count {
      let byte = span[index]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
      index += 1
    }
    return bytes.startIndex + index
  }

  /// Skips an escape, from its backslash, and returns the UTF-16 code unit that it represents.
  private mutating func escape() throws(FormatError) -> UInt16 {
    let start = position
    position += 1
    guard let letter = current else { throw unexpected("expected a closing quotation mark") }
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(letter)
    case UInt8(ascii: "b"): return 0x08
    case UInt8(ascii: "f"): return 0x0C
    case UInt8(ascii: "n"): return 0x0A
    case UInt8(ascii: "r"): return 0x0D
    case UInt8(ascii: "t"): return 0x09
    case UInt8(ascii: "u"):
      var unit: UInt16 = 0
      for _ in 0..<4 {
        guard let digit = current?.hexadecimalDigit else {
          throw failure("a \\u escape must have four hexadecimal digits", at: start)
        }
        unit = unit << 4 | UInt16(digit)
        position += 1
      }
      return unit
    default: throw failure("invalid escape", at: start)
    }
  }

  /// Returns the content of a skipped string, without changing the position.
  func content(of string: JSONString) throws(FormatError) -> String {
    let content = bytes[(string.start + 1)..<(string.end - 1)]
    guard string.hasEscapes else { return String(decoding: content, as: UTF8.self) }
    var reader = self
    var result: [UInt8] = []
    result.reserveCapacity(content.count)
    reader.position = content.startIndex
    while true {
      let start = reader.position
      reader.position = reader.endOfUnescapedCharacters()
      result += bytes[start..<reader.position]
      if reader.position == content.endIndex { return String(decoding: result, as: UTF8.self) }
      result += try reader.escapedCharacter().utf8
    }
  }

  /// Reads an escape, or two escapes that form a surrogate pair.
  private mutating func escapedCharacter() throws(FormatError) -> String {
    let start = position
    var units = [try escape()]
    if UTF16.isLeadSurrogate(units[0]), current == UInt8(ascii: "\\") {
      units.append(try escape())
    }
    if let character = String(validating: units, as: UTF16.self) { return character }
    throw failure("unpaired surrogate in an escape", at: start)
  }
}
