protocol TextReader {
  /// The input, in valid UTF-8.
  var bytes: ArraySlice<UInt8> { get }
  var position: Int { get set }
}

extension TextReader {
  var isAtEnd: Bool { position == bytes.endIndex }

  var current: UInt8? { isAtEnd ? nil : bytes[position] }

  func hasPrefix(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  mutating func skipWhitespace() {
    while current?.isWhitespace == true { position += 1 }
  }

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

  /// Skips past the next occurrence of a text, and returns the bytes before it.
  mutating func skip(past text: String) -> ArraySlice<UInt8>? {
    let start = position
    while let index = bytes[position...].firstIndex(of: text.utf8.first!) {
      position = index
      if skip(text: text) { return bytes[start..<index] }
      position += 1
    }
    return nil
  }

  func failure(_ reason: String, at index: Int? = nil) -> FormatError {
    FormatError(reason: reason, offset: (index ?? position) - bytes.startIndex)
  }

  static func requireUTF8(_ bytes: ArraySlice<UInt8>) throws(FormatError) {
    do {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw FormatError(reason: "invalid UTF-8", offset: error.byteOffsets.lowerBound)
    }
  }
}

extension UInt8 {
  var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

  var hexadecimalDigit: UInt16? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(self - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(self - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(self - UInt8(ascii: "A") + 10)
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
  mutating func value(_ tree: ValueTree, within depth: Int) throws(FormatError)
}

extension TextWriter {
  mutating func append(_ text: String) { bytes += text.utf8 }

  mutating func newLine(_ depth: Int) {
    append("\n")
    let (byte, count) = Self.indentation
    bytes.append(contentsOf: repeatElement(byte, count: depth * count))
  }

  mutating func append(
    _ elements: [ValueTree], between brackets: (open: String, close: String), within depth: Int
  ) throws(FormatError) {
    try append(elements, between: brackets, within: depth) { (writer, tree) throws(FormatError) in
      try writer.value(tree, within: depth + 1)
    }
  }

  mutating func append(
    _ members: [StoredKey: ValueTree], between brackets: (open: String, close: String),
    within depth: Int
  ) throws(FormatError) {
    let members = members.sorted { $0.key < $1.key }
    try append(members, between: brackets, within: depth) {
      (writer, member) throws(FormatError) in
      writer.key(member.key.string, within: depth + 1)
      try writer.value(member.value, within: depth + 1)
    }
  }

  /// Writes an array or a dictionary nested in `depth` others; a closure writes each element.
  private mutating func append<Element>(
    _ elements: [Element], between brackets: (open: String, close: String), within depth: Int,
    element: (inout Self, Element) throws(FormatError) -> Void
  ) throws(FormatError) {
    try FormatError.checkDepth(depth)
    append(brackets.open)
    for (index, value) in elements.enumerated() {
      if index > 0 { append(Self.separator) }
      newLine(depth + 1)
      try element(&self, value)
    }
    if !elements.isEmpty { newLine(depth) }
    append(brackets.close)
  }
}

/// Returns a file of entries between a start and an end.
func joined(
  _ entries: [KeyValueEntry], between start: some Collection<UInt8>,
  _ separator: some Collection<UInt8>, _ end: some Collection<UInt8>
) -> [UInt8] {
  let (start, separator, end) = (Array(start), Array(separator), Array(end))
  var count = start.count + end.count + max(entries.count - 1, 0) * separator.count
  for entry in entries { count += entry.text.count }
  return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
    // The capacity was computed above. Appending to an array takes ten times as long.
    var target = UnsafeMutableRawPointer(buffer.baseAddress!)
    func append(_ bytes: Span<UInt8>) {
      unsafe bytes.withUnsafeBytes { source in
        guard let address = source.baseAddress else { return }
        unsafe target.copyMemory(from: address, byteCount: source.count)
        unsafe target += source.count
      }
    }
    append(start.span)
    for (index, entry) in entries.enumerated() {
      if index > 0 { append(separator.span) }
      append(entry.text.span)
    }
    append(end.span)
    filled = count
  }
}
