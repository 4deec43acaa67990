/// The JSON documents and property lists that other programs write.
package enum ForeignDocument {
  /// Reads a document, without interpreting the escapes that a store uses in strings.
  ///
  /// `sizeLimit` is in bytes. Both limits count a shared value once for each reference.
  package static func tree(
    _ bytes: [UInt8], valueLimit: Int = .max, sizeLimit: Int = .max
  ) throws(FormatError) -> ValueTree {
    func check(_ values: Int, _ size: Int) throws(FormatError) {
      if values > valueLimit {
        throw FormatError(reason: "it has more than \(valueLimit) values", offset: 0)
      }
      if size > sizeLimit {
        throw FormatError(reason: "it expands to more than \(sizeLimit >> 20) MiB", offset: 0)
      }
    }
    // Before text is read, only an upper bound of its number of values is known.
    switch FileKind(bytes) {
    case .binaryPropertyList:
      let found = try BinaryObjectCheck(BinaryObjectTable(bytes[...]))
      try check(found.valueCount, found.expandedSize)
      return try BinaryPropertyListFormat(.plain).decode(bytes[...])
    case .xml:
      let next = bytes.dropFirst()
      try check(
        zip(bytes, next).count { $0 == UInt8(ascii: "<") && $1 != UInt8(ascii: "/") }, bytes.count)
      var reader = try MarkupReader(bytes[...], makesTrees: true, .plain)
      return try reader.document()
    case .json:
      try check(bytes.count { ",[{".utf8.contains($0) }, bytes.count)
      return try JSONFormat(.plain).decode(bytes[...])
    case .wideText, nil:
      throw FormatError(reason: "it is neither a property list nor JSON in UTF-8", offset: 0)
    }
  }

  /// Throws if Foundation's decoder, for settings of 1.x, could trap or hang on a property list.
  ///
  /// The decoder traps on counts that exceed `Int` and on invalid UTF-8, recurses into nested
  /// containers without a limit, and decodes shared objects once for each reference.
  package static func requireDecodable(propertyList bytes: [UInt8]) throws(FormatError) {
    if bytes.starts(with: BinaryObjectTable.magic) {
      _ = try BinaryPropertyListFormat(.foundation).decode(bytes[...])
    } else {
      var reader = try MarkupReader(bytes[...], makesTrees: true, .plain)
      _ = try reader.document()
    }
  }
}
