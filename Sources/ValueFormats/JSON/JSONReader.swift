/// A strict reader of JSON (RFC 8259).
package struct JSONReader: TextReader {
  let bytes: ArraySlice<UInt8>
  var position: Int
  /// Whether values are built as trees, or only validated.
  private let makesTrees: Bool
  private let textForm: TextForm

  /// - Throws: An error at the first byte that is not UTF-8.
  init(
    _ bytes: ArraySlice<UInt8>, makesTrees: Bool, _ textForm: TextForm = .escaped
  ) throws(FormatError) {
    try Self.requireUTF8(bytes)
    self.bytes = bytes
    self.makesTrees = makesTrees
    self.textForm = textForm
    position = bytes.startIndex
  }

  /// Throws if anything but white space follows.
  mutating func expectEnd() throws(FormatError) {
    skipWhitespace()
    if !isAtEnd { throw unexpected("there is more after the end") }
  }

  /// Returns the error at the position, outside of text, with a more specific reason if possible.
  func unexpected(_ reason: String) -> FormatError {
    switch current {
    case nil: failure("it ends too early: \(reason)")
    case 0: failure("there is a NUL byte")
    case UInt8(ascii: "#"): failure("JSON has no comments")
    case UInt8(ascii: "/") where hasPrefix("//") || hasPrefix("/*"): failure("JSON has no comments")
    default: failure(reason)
    }
  }
}

extension JSONReader {
  /// Reads a value inside of `depth` arrays and objects.
  ///
  /// - Returns: The value, or an arbitrary one if no trees are made.
  mutating func value(in depth: Int) throws(FormatError) -> ValueTree {
    switch current {
    case UInt8(ascii: "\""):
      let text = try text()
      return makesTrees ? textForm.tree(try string(of: text)) : .null(depth: 0)
    case UInt8(ascii: "{"):
      var dictionary: [StoredKey: ValueTree] = [:]
      try members(in: depth) { (reader, key) throws(FormatError) in
        let value = try reader.value(in: depth + 1)
        guard reader.makesTrees else { return }
        if dictionary.updateValue(value, forKey: StoredKey(try reader.string(of: key))) != nil {
          throw reader.failure("a key is there twice", at: key.start)
        }
      }
      return .dictionary(dictionary)
    case UInt8(ascii: "["):
      var array: [ValueTree] = []
      try elements(in: depth) { (reader) throws(FormatError) in
        let element = try reader.value(in: depth + 1)
        if reader.makesTrees { array.append(element) }
      }
      return .array(array)
    default:
      return try scalar()
    }
  }

  /// Reads an object inside of `depth` others, with a closure that skips a member's value.
  mutating func members(
    in depth: Int, value: (inout JSONReader, _ key: JSONText) throws(FormatError) -> Void
  ) throws(FormatError) {
    try enter(depth)
    if take("}") { return }
    while true {
      guard current == UInt8(ascii: "\"") else {
        throw unexpected("a key in double quotation marks is missing")
      }
      let key = try text()
      skipWhitespace()
      guard take(":") else { throw unexpected("a colon is missing") }
      skipWhitespace()
      try value(&self, key)
      skipWhitespace()
      if take("}") { return }
      guard take(",") else { throw unexpected("a comma or a closing brace is missing") }
      skipWhitespace()
      if current == UInt8(ascii: "}") { throw failure("a comma is before the closing brace") }
    }
  }

  /// Reads an array inside of `depth` others, with a closure that skips an element.
  private mutating func elements(
    in depth: Int, element: (inout JSONReader) throws(FormatError) -> Void
  ) throws(FormatError) {
    try enter(depth)
    if take("]") { return }
    while true {
      try element(&self)
      skipWhitespace()
      if take("]") { return }
      guard take(",") else { throw unexpected("a comma or a closing bracket is missing") }
      skipWhitespace()
      if current == UInt8(ascii: "]") { throw failure("a comma is before the closing bracket") }
    }
  }

  private mutating func enter(_ depth: Int) throws(FormatError) {
    try FormatError.requireRoom(within: depth, at: position - bytes.startIndex)
    position += 1
    skipWhitespace()
  }
}

extension JSONReader {
  /// Reads a number, a boolean or null.
  mutating func scalar() throws(FormatError) -> ValueTree {
    guard let current else { throw unexpected("a value is missing") }
    switch current {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      let start = position
      try skipNumber()
      let spelling = bytes[start..<(makesTrees ? position : start)]
      return .number(.text(String(decoding: spelling, as: UTF8.self)))
    case UInt8(ascii: "t") where take(text: "true"): return .bool(true)
    case UInt8(ascii: "f") where take(text: "false"): return .bool(false)
    case UInt8(ascii: "n") where take(text: "null"): return .null(depth: 0)
    case UInt8(ascii: "+"):
      throw failure("a number has a plus sign")
    case UInt8(ascii: "."):
      throw failure("a digit is missing before the point")
    case UInt8(ascii: "'"):
      throw failure("text is not in double quotation marks")
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
      throw failure("a word is neither true, false or null, nor in double quotation marks")
    default:
      throw unexpected("a value is missing")
    }
  }

  /// Whether a text is a JSON number and nothing else.
  package static func isNumber(_ text: String) -> Bool {
    do throws(FormatError) {
      var reader = try JSONReader(ArraySlice(text.utf8), makesTrees: false)
      try reader.skipNumber()
      return reader.current == nil
    } catch {
      return false
    }
  }

  mutating func skipNumber() throws(FormatError) {
    _ = take("-")
    let start = position
    try skipDigits()
    if bytes[start] == UInt8(ascii: "0"), position > start + 1 {
      throw failure("a number begins with a needless zero", at: start)
    }
    if take(".") { try skipDigits() }
    if take("e") || take("E") {
      if !take("-") { _ = take("+") }
      try skipDigits()
    }
  }

  private mutating func skipDigits() throws(FormatError) {
    let start = position
    while current?.isDigit == true { position += 1 }
    if position == start { throw unexpected("a digit is missing") }
  }
}
