import FoundationEssentials

/// The format of XML property lists, as defined by `PropertyList-1.0.dtd`, in UTF-8.
///
/// A comment between two entries is treated as part of the second entry.
package struct XMLPropertyListFormat: StoredFormat {
  private let escaping: StringEscaping

  package init(_ escaping: StringEscaping = .escaped) { self.escaping = escaping }

  /// The text around the entries of a new file.
  private static let newFile = FileSurroundings(
    header: Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      """.utf8),
    footer: Array("</dict>\n</plist>\n".utf8))

  package func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile {
    try FileKind.require(.xml, of: file)
    var reader = try MarkupReader(file[...], makesTrees: false, escaping)
    return try reader.file()
  }

  package func join(_ parts: [ArraySlice<KeyValueEntry>], _ surroundings: FileSurroundings)
    -> [UInt8]
  {
    let surroundings = surroundings.header.isEmpty ? Self.newFile : surroundings
    // Comments after the last entry are indented like the entry.
    let newLine = surroundings.footer.starts(with: "</".utf8) ? "\n" : "\n\t"
    return joined(
      parts, between: surroundings.header + (parts.joined().isEmpty ? "" : "\n\t").utf8,
      "\n\t".utf8, newLine.utf8 + surroundings.footer)
  }

  package func entry(_ key: StoredKey, _ value: ArraySlice<UInt8>) -> KeyValueEntry {
    var writer = PropertyListMarkupWriter()
    writer.key(key.string, within: 1)
    let text = writer.bytes + value
    return KeyValueEntry(key: key, text: text[...], valueOffset: writer.bytes.count)
  }

  package func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8] {
    var writer = PropertyListMarkupWriter()
    try writer.value(tree, within: 1)
    return writer.bytes
  }

  package func decode(_ value: ArraySlice<UInt8>) throws(FormatError) -> ValueTree {
    var reader = try MarkupReader(value, makesTrees: true, escaping)
    return try reader.fragment()
  }

  package func offset(of path: [ValueStep], in value: ArraySlice<UInt8>) -> Int {
    guard var reader = try? MarkupReader(value, makesTrees: false, escaping) else { return 0 }
    for (depth, step) in path.enumerated() {
      guard reader.move(to: step, within: depth + 1) else { break }
    }
    return reader.position - value.startIndex
  }

  package func offsetOfKey(in entry: KeyValueEntry) -> Int {
    guard var reader = try? MarkupReader(entry.text, makesTrees: false, escaping),
      (try? reader.skipBetweenElements()) != nil
    else { return 0 }
    return reader.position - entry.text.startIndex
  }
}

enum PropertyListElement: String {
  case plist
  case dict
  case key
  case array
  case string
  case integer
  case real
  case date
  case data
  case `true`
  case `false`

  /// Returns the value of an element with a text; nil if the text is invalid.
  func value(_ text: String) -> ValueTree? {
    let start = text.utf8.drop(while: \.isWhitespace)
    let end = start.lastIndex { !$0.isWhitespace }
    let trimmed = end.map { text[start.startIndex...$0] } ?? ""
    switch self {
    case .true: return trimmed.isEmpty ? .bool(true) : nil
    case .false: return trimmed.isEmpty ? .bool(false) : nil
    case .integer: return PropertyListNumber.integer(trimmed).map(ValueTree.number)
    case .real: return PropertyListNumber.real(trimmed).map(ValueTree.number)
    case .date: return Date(propertyList: trimmed).map(ValueTree.date)
    case .data:
      return Data(strictBase64: text.utf8.filter { !$0.isWhitespace }).map(ValueTree.data)
    case .string: return .string(text)
    case .plist, .dict, .key, .array: return nil
    }
  }

  /// The reason, as a clause, why the element has no value.
  var reason: String {
    switch self {
    case .integer: "invalid integer"
    case .real: "invalid number"
    case .date: "invalid date; expected a form such as 2026-11-21T15:46:38Z"
    case .data: "invalid base64"
    case .true, .false: "<\(rawValue)> must be empty"
    case .plist, .dict, .key, .array, .string: "<\(rawValue)> is not a value"
    }
  }
}
