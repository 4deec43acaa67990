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

  func join(_ entries: [KeyValueEntry], _ surroundings: FileSurroundings) -> [UInt8]

  func entry(_ key: StoredKey, _ value: ArraySlice<UInt8>) -> KeyValueEntry

  func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8]

  func decode(_ value: ArraySlice<UInt8>) throws(FormatError) -> ValueTree
}

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

package struct ParsedFile: Sendable {
  package var entries: [KeyValueEntry]
  package var surroundings: FileSurroundings

  package init(entries: [KeyValueEntry], surroundings: FileSurroundings = FileSurroundings()) {
    self.entries = entries
    self.surroundings = surroundings
  }
}

/// A key and its encoded value in a file.
package struct KeyValueEntry: Sendable {
  package let key: StoredKey
  /// The entry's bytes in the file: the value, preceded by the key in a text format.
  package let text: ArraySlice<UInt8>
  package let valueOffset: Int

  package init(key: StoredKey, text: ArraySlice<UInt8>, valueOffset: Int) {
    self.key = key
    self.text = text
    self.valueOffset = valueOffset
  }

  package var value: ArraySlice<UInt8> { text.dropFirst(valueOffset) }

  /// Returns this entry with the value of another, preserving comments and the notation of the key.
  package func with(_ new: KeyValueEntry) -> KeyValueEntry {
    if text.prefix(valueOffset) == new.text.prefix(new.valueOffset) { return new }
    return KeyValueEntry(
      key: key, text: text.prefix(valueOffset) + new.value, valueOffset: valueOffset)
  }
}

/// The text of a file before its first entry and after its last entry, such as comments.
package struct FileSurroundings: Sendable, Hashable {
  package var header: [UInt8] = []
  package var footer: [UInt8] = []
}
