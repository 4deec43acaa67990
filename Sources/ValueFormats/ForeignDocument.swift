/// A document of another program: a property list, binary or in XML, or JSON.
package struct ForeignDocument {
  private let bytes: [UInt8]
  private let kind: FileKind
  /// The number of values, or a little more, if shared ones were written out for each reference.
  package let valueCount: Int
  /// The size in bytes if shared values were written out for each reference.
  package let expandedSize: Int

  /// Creates a document, and checks a binary property list.
  package init(_ bytes: [UInt8]) throws(FormatError) {
    guard let kind = FileKind(bytes) else {
      throw FormatError(reason: "it is neither a property list nor JSON", offset: 0)
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
    case .json, .oldPropertyList, .text:
      valueCount = bytes.count { Array(",[{".utf8).contains($0) }
      expandedSize = bytes.count
    }
  }

  /// Reads the whole document, whose text has no escapes.
  package func tree() throws(FormatError) -> ValueTree {
    switch kind {
    case .binaryPropertyList:
      return try BinaryPropertyListFormat(.plain).decode(bytes[...])
    case .xml:
      var reader = try PropertyListMarkupReader(bytes[...], makesTrees: true, .plain)
      return try reader.document()
    case .json, .oldPropertyList, .text:
      try FileKind.require(.json, .oldPropertyList, of: bytes)
      return try JSONFormat(.plain).decode(bytes[...])
    }
  }
}

// Foundation's decoder passes the `userInfo` of an app to its types, and converts between types
// exactly as it did when the app's data was written. So it remains the decoder of stored secrets
// and of the settings of 1.x.

extension ForeignDocument {
  /// Throws if Foundation's decoder could trap on a property list, or take endless time.
  ///
  /// The decoder traps on counts beyond `Int` and on invalid UTF-8, follows nesting until the stack
  /// is full, and reads shared objects once for each reference.
  package static func requireDecodable(
    propertyList bytes: [UInt8], depth: Int = FormatLimits.depth
  ) throws(FormatError) {
    guard bytes.starts(with: BinaryObjectTable.magic) else {
      var reader = try PropertyListMarkupReader(bytes[...], makesTrees: false, .plain)
      _ = try reader.document()
      return
    }
    let check = try BinaryObjectCheck(
      BinaryObjectTable(bytes[...]), depth: depth, of: BinaryObject.Kind.encoded)
    // An encoder shares no containers, so that each value has its own reference.
    if check.valueCount > bytes.count {
      throw FormatError(reason: "arrays or dictionaries are shared", offset: 0)
    }
  }
}
