/// A property list in XML, as `PropertyList-1.0.dtd` has it, in UTF-8.
///
/// Comments between two entries belong to the second one.
struct XMLPropertyListFormat: StoredFormat {
  /// What a new file begins and ends with.
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

  func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile {
    try FileKind.require(.xml, of: file)
    var reader = try PropertyListMarkupReader(file[...], makesTrees: false)
    return try reader.file()
  }

  func join(_ entries: [KeyValueEntry], _ surroundings: FileSurroundings) -> [UInt8] {
    let surroundings = surroundings.header.isEmpty ? Self.newFile : surroundings
    let (header, footer) = (surroundings.header, surroundings.footer)
    var file: [UInt8] = []
    file.reserveCapacity(
      entries.reduce(header.count + footer.count + 2) { $0 + $1.text.count + 2 })
    file += header
    for entry in entries {
      file += "\n\t".utf8
      file += entry.text
    }
    // Comments after the last entry are indented as it is.
    file += footer.starts(with: "</".utf8) ? "\n".utf8 : "\n\t".utf8
    file += footer
    return file
  }

  func entry(_ key: StoredKey, _ value: EncodedValue) -> KeyValueEntry {
    var writer = PropertyListMarkupWriter()
    writer.key(key.string)
    writer.newLine(1)
    let text = writer.bytes + value
    return KeyValueEntry(key: key, text: text[...], valueOffset: writer.bytes.count)
  }

  func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8] {
    var writer = PropertyListMarkupWriter()
    try writer.value(tree, within: 1)
    return writer.bytes
  }

  func decode(_ value: EncodedValue) throws(FormatError) -> ValueTree {
    var reader = try PropertyListMarkupReader(value, makesTrees: true)
    return try reader.fragment()
  }
}
