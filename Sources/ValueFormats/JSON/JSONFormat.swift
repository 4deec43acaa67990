/// The JSON format (RFC 8259), with a root object whose members are the keys and values.
package struct JSONFormat: StoredFormat {
  private let escaping: StringEscaping

  package init(_ escaping: StringEscaping = .escaped) { self.escaping = escaping }

  package func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile {
    try FileKind.require(.json, of: file)
    var reader = try JSONReader(file[...], makesTrees: false)
    _ = reader.skip(text: "\u{FEFF}")
    reader.skipWhitespace()
    guard reader.current == UInt8(ascii: "{") else {
      throw reader.unexpected("expected an opening brace")
    }
    var entries: [KeyValueEntry] = []
    var isAscending = true
    try reader.members(in: 0) { (reader, key) throws(FormatError) in
      let name = try reader.content(of: key)
      let valueStart = reader.position
      _ = try reader.value(in: 1)
      let entry = KeyValueEntry(
        key: StoredKey(name), text: file[key.start..<reader.position],
        valueOffset: valueStart - key.start)
      if let last = entries.last, last.key >= entry.key { isAscending = false }
      entries.append(entry)
    }
    try reader.requireEnd()
    if !isAscending {
      var offsets = [StoredKey: Int](minimumCapacity: entries.count)
      for entry in entries {
        let offset = entry.text.startIndex
        if let first = offsets.updateValue(offset, forKey: entry.key) {
          throw .duplicateKey(at: offset, first: first)
        }
      }
    }
    return ParsedFile(entries: entries)
  }

  package func join(_ parts: [ArraySlice<KeyValueEntry>], _ surroundings: FileSurroundings)
    -> [UInt8]
  {
    if parts.joined().isEmpty { return Array("{}\n".utf8) }
    return joined(parts, between: "{\n  ".utf8, ",\n  ".utf8, "\n}\n".utf8)
  }

  package func entry(_ key: StoredKey, _ value: ArraySlice<UInt8>) -> KeyValueEntry {
    var writer = JSONWriter()
    writer.key(key.string, within: 1)
    let text = writer.bytes + value
    return KeyValueEntry(key: key, text: text[...], valueOffset: writer.bytes.count)
  }

  package func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8] {
    var writer = JSONWriter()
    try writer.value(tree, within: 1)
    return writer.bytes
  }

  package func decode(_ value: ArraySlice<UInt8>) throws(FormatError) -> ValueTree {
    var reader = try JSONReader(value, makesTrees: true, escaping)
    reader.skipWhitespace()
    let tree = try reader.value(in: 1)
    try reader.requireEnd()
    return tree
  }

  package func offset(of path: [ValueStep], in value: ArraySlice<UInt8>) -> Int {
    guard var reader = try? JSONReader(value, makesTrees: false) else { return 0 }
    reader.skipWhitespace()
    for (depth, step) in path.enumerated() {
      guard reader.move(to: step, in: depth + 1) else { break }
    }
    return reader.position - value.startIndex
  }
}
