package struct TextReader<Format: StoredFormat> {
  /// The input, in valid UTF-8.
  let bytes: ArraySlice<UInt8>
  /// The index of the next byte.
  var position: Int
  /// Whether values are built as trees, or only validated.
  let makesTrees: Bool
  let escaping: StringEscaping

  init(
    _ bytes: ArraySlice<UInt8>, makesTrees: Bool, _ escaping: StringEscaping = .escaped
  ) throws(FormatError) {
    do {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw FormatError(reason: "invalid UTF-8", offset: error.byteOffsets.lowerBound)
    }
    self.bytes = bytes
    position = bytes.startIndex
    self.makesTrees = makesTrees
    self.escaping = escaping
  }

  var isAtEnd: Bool { position == bytes.endIndex }

  /// The next byte; nil at the end.
  var current: UInt8? { isAtEnd ? nil : bytes[position] }

  func hasPrefix(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  mutating func skipWhitespace() {
    while current?.isWhitespace == true { position += 1 }
  }

  /// Skips a character, or returns false if it is not next.
  mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  mutating func skip(text: String) -> Bool {
    guard hasPrefix(text) else { return false }
    position += text.utf8.count
    return true
  }

  /// Skips past the next occurrence of a text, and returns the bytes before it; nil without one.
  mutating func skip(past text: String) -> ArraySlice<UInt8>? {
    let start = position
    while let index = bytes[position...].firstIndex(of: text.utf8.first!) {
      position = index
      if skip(text: text) { return bytes[start..<index] }
      position += 1
    }
    return nil
  }

  /// Returns an error at an index, by default at the position.
  ///
  /// In a line that begins with a conflict marker of Git, the marker is the error.
  func failure(_ reason: String, at index: Int? = nil) -> FormatError {
    let index = index ?? position
    let line = bytes[..<index].lastIndex { $0 == UInt8(ascii: "\n") }.map { $0 + 1 }
    let start = line ?? bytes.startIndex
    if Self.conflictMarkers.contains(where: { bytes[start...].starts(with: $0.utf8) }) {
      return FormatError(
        reason: "conflict marker of Git; resolve the conflict", offset: start - bytes.startIndex)
    }
    return FormatError(reason: reason, offset: index - bytes.startIndex)
  }

  /// Returns the error for a second key, with the index of the first one.
  func duplicateKey(at index: Int, first: Int?) -> FormatError {
    .duplicateKey(at: index - bytes.startIndex, first: first.map { $0 - bytes.startIndex })
  }

  private static var conflictMarkers: [String] {
    ["<", "|", "=", ">"].map { String(repeating: $0, count: 7) }
  }

  /// Returns the error for a quotation mark of typography at an index; nil if there is none.
  ///
  /// Word processors and chat programs replace straight quotation marks by these. With `end`, the
  /// index is within a string that is not closed before `end`, and only a double quotation mark
  /// where a string may be followed by more is an error. Any other may be meant as it is.
  func typographicQuote(at index: Int, inStringUpTo end: Int? = nil) -> FormatError? {
    // The characters are U+2018 to U+201F, and from U+201C on they are double.
    let text = bytes[index...]
    guard text.starts(with: [0xE2, 0x80]), let last = text.dropFirst(2).first,
      (end == nil ? 0x98...0x9F : 0x9C...0x9F) ~= last
    else { return nil }
    let next = end.flatMap { bytes[(index + 3)..<$0].first { !$0.isWhitespace } }
    if let next, !",:}]".utf8.contains(next) { return nil }
    return failure("typographic quotation mark; use the straight one", at: index)
  }
}

extension UInt8 {
  var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

  /// The value of the byte as a hexadecimal digit; nil if it is none.
  var hexadecimalDigit: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Whether JSON and XML treat the byte as white space.
  var isWhitespace: Bool {
    switch self {
    case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): true
    default: false
    }
  }
}

extension Substring.UTF8View {
  var withoutSign: Substring.UTF8View {
    dropFirst(first == UInt8(ascii: "-") || first == UInt8(ascii: "+") ? 1 : 0)
  }
}

/// A writer of a text format, with each element of an array or a dictionary on a separate line.
protocol TextWriter {
  /// The indentation of each level: a byte, and the number of its repetitions.
  static var indentation: (byte: UInt8, count: Int) { get }
  static var separator: String { get }

  var bytes: [UInt8] { get set }

  /// Writes a key, up to the value nested in `depth` arrays and dictionaries.
  mutating func key(_ key: String, within depth: Int)
  /// Writes a value nested in `depth` arrays and dictionaries.
  mutating func value(_ tree: ValueTree, within depth: Int) throws(FormatError)
}

extension TextWriter {
  mutating func append(_ text: String) { bytes += text.utf8 }

  /// Begins a line with an indentation of `depth` levels.
  mutating func newLine(_ depth: Int) {
    append("\n")
    let (byte, count) = Self.indentation
    bytes.append(contentsOf: repeatElement(byte, count: depth * count))
  }

  /// Writes an array, or with keys a dictionary, nested in `depth` others.
  mutating func append(
    _ elements: [(key: StoredKey?, tree: ValueTree)],
    between brackets: (open: String, close: String), within depth: Int
  ) throws(FormatError) {
    try FormatError.checkDepth(depth)
    append(brackets.open)
    for (index, element) in elements.enumerated() {
      if index > 0 { append(Self.separator) }
      newLine(depth + 1)
      if let key = element.key { self.key(key.string, within: depth + 1) }
      try value(element.tree, within: depth + 1)
    }
    if !elements.isEmpty { newLine(depth) }
    append(brackets.close)
  }
}

extension [StoredKey: ValueTree] {
  /// The members in the order in which a file contains them.
  var inOrder: [(key: StoredKey?, tree: ValueTree)] {
    sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

/// Returns the bytes of a file: a start, the entries with separators between them, and an end.
func joined(
  _ parts: [ArraySlice<KeyValueEntry>], between start: some Collection<UInt8>,
  _ separator: some Collection<UInt8>, _ end: some Collection<UInt8>
) -> [UInt8] {
  let separator = Array(separator)
  var count = start.count + end.count
  for part in parts { for entry in part { count += separator.count + entry.text.count } }
  return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
    // The capacity was computed above. Appending to an array takes ten times as long.
    filled = unsafe buffer.initialize(fromContentsOf: start)
    for part in parts {
      for index in part.indices {
        filled = unsafe buffer[filled...].initialize(fromContentsOf: part[index].text)
        filled = unsafe buffer[filled...].initialize(fromContentsOf: separator)
      }
    }
    // The end overwrites the last separator.
    if filled > start.count { filled -= separator.count }
    filled = unsafe buffer[filled...].initialize(fromContentsOf: end)
  }
}
