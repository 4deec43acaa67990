extension JSONReader {
  /// Passes over a value that is in so many arrays and objects.
  mutating func skipValue(in depth: Int) throws(FormatError) {
    switch current {
    case UInt8(ascii: "\""): _ = try text()
    case UInt8(ascii: "{"):
      try members(in: depth) { (reader, _) throws(FormatError) in
        try reader.skipValue(in: depth + 1)
      }
    case UInt8(ascii: "["):
      try elements(in: depth) { (reader) throws(FormatError) in
        try reader.skipValue(in: depth + 1)
      }
    default: _ = try scalar()
    }
  }

  /// Reads a value that is in so many arrays and objects.
  mutating func value(in depth: Int) throws(FormatError) -> ValueTree {
    switch current {
    case UInt8(ascii: "\""):
      return ValueTree(text: try string(of: try text()))
    case UInt8(ascii: "{"):
      var dictionary: [StoredKey: ValueTree] = [:]
      try members(in: depth) { (reader, key) throws(FormatError) in
        let value = try reader.value(in: depth + 1)
        if dictionary.updateValue(value, forKey: StoredKey(try reader.string(of: key))) != nil {
          throw reader.failure("a key is there twice", at: key.start)
        }
      }
      return .dictionary(dictionary)
    case UInt8(ascii: "["):
      var array: [ValueTree] = []
      try elements(in: depth) { (reader) throws(FormatError) in
        array.append(try reader.value(in: depth + 1))
      }
      return .array(array)
    default:
      return try scalar()
    }
  }

  /// Reads an object that is in so many others, with a closure that passes over a member's value.
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

  /// Reads an array that is in so many others, with a closure that passes over an element.
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
    guard depth < FormatLimits.depth else {
      throw FormatError.tooDeep(at: position - bytes.startIndex)
    }
    position += 1
    skipWhitespace()
  }
}
