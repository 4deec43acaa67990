/// A file format of keys and values.
///
/// The bytes of a value are decoded only when it is read, and are otherwise written back unchanged.
package protocol StoredFormat: Sendable {
  /// Validates a file, except for duplicate keys within values, and splits it into its entries.
  func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile

  func join(_ entries: [KeyValueEntry], _ surroundings: FileSurroundings) -> [UInt8]

  func entry(_ key: StoredKey, _ value: ArraySlice<UInt8>) -> KeyValueEntry

  func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8]

  func decode(_ value: ArraySlice<UInt8>) throws(FormatError) -> ValueTree
}

package enum FormatLimits {
  /// The maximum depth of arrays and dictionaries, including the root, which bounds the recursion.
  package static let depth = 512

  /// The maximum size of a file in bytes.
  package static let fileSize = 64 << 20
}

/// A failure to parse bytes or to encode a value, which never contains the value.
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

  /// Returns this entry with the value of another, but its own comments and notation of the key.
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
