/// The JSON format (RFC 8259), with a root object whose members are the keys and values.
package struct JSONFormat: StoredFormat {
  private let escaping: StringEscaping
  /// Whether a file may have comments (`//` and `/* */`), and commas after the last elements.
  private let allowsComments: Bool

  package init(_ escaping: StringEscaping = .escaped, allowsComments: Bool = false) {
    self.escaping = escaping
    self.allowsComments = allowsComments
  }

  /// The reason for an error at a comment that is not allowed.
  static var commentsReason: String { "comments are not allowed in JSON" }
  static var commaReason: String { "trailing comma before the" }

  /// Whether an error with this reason does not occur if comments are allowed.
  package static func isAboutSyntax(_ reason: String) -> Bool {
    reason == commentsReason || reason.hasPrefix(commaReason)
  }

  /// The text around the entries of a new file.
  private static let newFile = FileSurroundings(
    of: Array("{}\n".utf8), around: 1..<1, lead: nil, unit: "  ", end: "}")

  private func reader(
    _ bytes: ArraySlice<UInt8>, makesTrees: Bool = false
  ) throws(FormatError) -> JSONReader {
    try JSONReader(bytes, makesTrees: makesTrees, escaping, allowsComments: allowsComments)
  }

  package func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile {
    try FileKind.require(.json, of: file)
    var reader = try reader(file[...])
    _ = reader.skip(text: "\u{FEFF}")
    try reader.skipBetweenTokens()
    guard reader.current == UInt8(ascii: "{") else {
      throw reader.unexpected("expected an opening brace")
    }
    var entries: [KeyValueEntry] = []
    var isAscending = true
    let brace = reader.position
    // The end of the header, the start of the text of the last entry, and the end of its value.
    var (header, start, end) = (0, 0, brace + 1)
    func endLastEntry(in reader: JSONReader, before next: Int) {
      let (textEnd, comma) = reader.divide(end..<next)
      if entries.isEmpty {
        header = textEnd
      } else {
        entries[entries.count - 1].extend(to: file[start..<textEnd], comma: comma)
      }
      start = textEnd
    }
    try reader.members(in: 0) { (reader, key) throws(FormatError) in
      endLastEntry(in: reader, before: key.start)
      let name = try reader.content(of: key)
      let valueStart = reader.position
      _ = try reader.value(in: 1)
      end = reader.position
      let entry = KeyValueEntry(
        key: StoredKey(name), text: file[start..<end], valueOffset: valueStart - start,
        position: entries.count)
      if let last = entries.last, last.key >= entry.key { isAscending = false }
      entries.append(entry)
    }
    endLastEntry(in: reader, before: reader.position - 1)
    try reader.requireEnd()
    if !isAscending { try requireDistinctKeys(entries) }
    var surroundings = FileSurroundings(
      of: file, around: header..<start, lead: lead(of: entries),
      hasComma: entries.last?.hasComma ?? false, unit: "  ", end: "}")
    surroundings.hasOpenHeader = isOpen(file[(brace + 1)..<header])
    return ParsedFile(entries: entries, surroundings: surroundings)
  }

  /// Returns the text before the last key, after which a new entry is arranged.
  private func lead(of entries: [KeyValueEntry]) -> ArraySlice<UInt8>? {
    guard let last = entries.last else { return nil }
    let lead = last.text.prefix(offsetOfKey(in: last))
    // In `{"a": 1}`, only the space after the colon shows that the file is not compact.
    let hasSpace = last.text[last.value.startIndex - 1].isWhitespace
    return entries.count == 1 && lead.isEmpty && hasSpace ? ArraySlice(" ".utf8) : lead
  }

  private func requireDistinctKeys(_ entries: [KeyValueEntry]) throws(FormatError) {
    func offset(_ entry: KeyValueEntry) -> Int { entry.text.startIndex + offsetOfKey(in: entry) }
    var indexes = [StoredKey: Int](minimumCapacity: entries.count)
    for (index, entry) in entries.enumerated() {
      if let first = indexes.updateValue(index, forKey: entry.key) {
        throw .duplicateKey(at: offset(entry), first: offset(entries[first]))
      }
    }
  }

  package func join(_ parts: [ArraySlice<KeyValueEntry>], _ surroundings: FileSurroundings)
    -> [UInt8]
  {
    let surroundings = surroundings.header.isEmpty ? Self.newFile : surroundings
    if parts.joined().isEmpty { return surroundings.withoutEntries(before: "}") }
    return surroundings.joined(parts, hasCommas: true, isOpen: isOpen)
  }

  /// Whether a text that ends between tokens ends in a comment that ends with its line.
  private func isOpen(_ text: ArraySlice<UInt8>) -> Bool {
    guard allowsComments, var reader = try? reader(text) else { return false }
    return reader.endsInLineComment()
  }

  package func entry(
    _ key: StoredKey, _ value: ArraySlice<UInt8>, in surroundings: FileSurroundings
  ) -> KeyValueEntry {
    let surroundings = surroundings.header.isEmpty ? Self.newFile : surroundings
    var writer = JSONWriter()
    writer.bytes = surroundings.indentation
    writer.key(key.string, within: 1)
    let text = writer.bytes + value
    return KeyValueEntry(key: key, text: text[...], valueOffset: writer.bytes.count)
  }

  package func value(
    _ value: ArraySlice<UInt8>, in surroundings: FileSurroundings
  ) -> ArraySlice<UInt8> {
    guard !surroundings.header.isEmpty, surroundings.indentation != Self.newFile.indentation,
      value.contains(where: \.isLineEnd), var reader = try? reader(value)
    else { return value }
    return reader.arranged(surroundings.lineIndentation, surroundings.lineEnd) ?? value
  }

  package func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8] {
    var writer = JSONWriter()
    try writer.value(tree, within: 1)
    return writer.bytes
  }

  package func decode(_ value: ArraySlice<UInt8>) throws(FormatError) -> ValueTree {
    var reader = try reader(value, makesTrees: true)
    try reader.skipBetweenTokens()
    let tree = try reader.value(in: 1)
    try reader.requireEnd()
    return tree
  }

  package func part(at offset: Int, in value: ArraySlice<UInt8>) -> FormatPart {
    var part = FormatPart()
    guard var reader = try? JSONReader(value, makesTrees: false) else { return part }
    reader.skipWhitespace()
    // An error ends the search.
    try? reader.search(for: value.startIndex + offset, in: 1, &part)
    return part
  }

  package func offset(of path: [ValueStep], in value: ArraySlice<UInt8>) -> Int {
    guard var reader = try? reader(value), (try? reader.skipBetweenTokens()) != nil else {
      return 0
    }
    for (depth, step) in path.enumerated() {
      guard reader.move(to: step, in: depth + 1) else { break }
    }
    return reader.position - value.startIndex
  }

  package func offsetOfKey(in entry: KeyValueEntry) -> Int {
    guard var reader = try? reader(entry.text), (try? reader.skipBetweenTokens()) != nil else {
      return 0
    }
    return reader.position - entry.text.startIndex
  }

  package func separateComments(in entry: KeyValueEntry) -> ArraySlice<UInt8> {
    guard allowsComments, let reader = try? reader(entry.text.prefix(entry.valueOffset)) else {
      return []
    }
    return reader.separateComments { (reader) throws(FormatError) in try reader.skipComment() }
  }
}
