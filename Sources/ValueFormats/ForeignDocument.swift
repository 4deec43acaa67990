/// A JSON document or property list that another program wrote.
package struct ForeignDocument {
  private let bytes: [UInt8]
  private let kind: FileKind
  /// An upper bound on the number of values, with shared values counted once for each reference.
  package let valueCount: Int
  /// The size in bytes, with shared values counted once for each reference.
  package let expandedSize: Int

  /// Creates a document, and validates it if it is a binary property list.
  package init(_ bytes: [UInt8]) throws(FormatError) {
    guard let kind = FileKind(bytes) else {
      throw FormatError(reason: "the file is neither a property list nor JSON", offset: 0)
    }
    self.bytes = bytes
    self.kind = kind
    switch kind {
    case .binaryPropertyList:
      let check = try BinaryObjectCheck(BinaryObjectTable(bytes[...]))
      (valueCount, expandedSize) = (check.valueCount, check.expandedSize)
    case .xml:
      let next = bytes.dropFirst() + [0]
      valueCount = zip(bytes, next).count { $0 == UInt8(ascii: "<") && $1 != UInt8(ascii: "/") }
      expandedSize = bytes.count
    case .json, .openStepPropertyList, .text:
      valueCount = bytes.count { Array(",[{".utf8).contains($0) }
      expandedSize = bytes.count
    }
  }

  /// Reads the document, without interpreting the escapes that a store uses in strings.
  package func tree() throws(FormatError) -> ValueTree {
    switch kind {
    case .binaryPropertyList:
      return try BinaryPropertyListFormat(.plain).decode(bytes[...])
    case .xml:
      var reader = try MarkupReader(bytes[...], makesTrees: true, .plain)
      return try reader.document()
    case .json, .openStepPropertyList, .text:
      try FileKind.require(.json, .openStepPropertyList, of: bytes)
      return try JSONFormat(.plain).decode(bytes[...])
    }
  }
}

// Foundation's decoder still decodes the settings of version 1.x, because it passes an app's
// `userInfo` to the app's types, and converts between types as version 1.x did.

extension ForeignDocument {
  /// Throws an error if Foundation's decoder could trap on a property list, or not terminate.
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
