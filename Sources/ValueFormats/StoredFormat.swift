/// A file format of keys and values.
///
/// The bytes of a value in a file, called a fragment, are decoded only when the value is read.
/// Values that other programs wrote are therefore written back unchanged.
package protocol StoredFormat: Sendable {
  /// Splits a file into its entries, in the order of the file.
  ///
  /// The whole file is validated, including the fragments, but duplicate keys within a fragment are
  /// not detected.
  func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile

  /// Joins entries into a file, in the given order.
  func join(_ entries: [KeyValueEntry], _ enclosingText: EnclosingText) -> [UInt8]

  /// Creates an entry from a key and an encoded value.
  func entry(_ key: StoredKey, _ value: ArraySlice<UInt8>) -> KeyValueEntry

  func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8]

  func decode(_ value: ArraySlice<UInt8>) throws(FormatError) -> ValueTree

  /// Finds the offsets of nested values in an encoded value, in one pass; a binary format has none.
  func locate(_ paths: PathNode, in value: ArraySlice<UInt8>) throws(FormatError)
}

extension StoredFormat {
  package func locate(_ paths: PathNode, in value: ArraySlice<UInt8>) {}
}

/// The limits that apply to all formats.
package enum FormatLimits {
  /// The maximum depth of nested arrays and dictionaries, including the root.
  ///
  /// Reading and writing are recursive, so the depth determines their use of the thread's stack.
  package static let depth = 512

  /// The maximum size of a file in bytes; a larger file is damaged or was not written by a store.
  package static let fileSize = 64 << 20
}

/// The reason why bytes cannot be parsed or a value cannot be encoded; never contains the value.
package struct FormatError: Error, Hashable, Sendable {
  /// The reason as a clause, such as "expected a colon".
  package let reason: String
  /// The offset from the beginning of the input in bytes; 0 when encoding.
  package let offset: Int

  package init(reason: String, offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  static var ofLayers: FormatError {
    FormatError(reason: "the values of several layers cannot be encoded", offset: 0)
  }

  static func tooDeep(at offset: Int) -> FormatError {
    FormatError(
      reason: "arrays and dictionaries are nested more than \(FormatLimits.depth) levels deep",
      offset: offset)
  }

  /// Throws an error if an array or dictionary nested in `depth` others exceeds the limit.
  static func checkDepth(_ depth: Int, at offset: Int = 0) throws(FormatError) {
    if depth >= FormatLimits.depth { throw tooDeep(at: offset) }
  }
}
