/// A file format of keys and values.
///
/// A value is handled as its bytes in the file, its fragment; a fragment is decoded only when it is
/// read. So values of other programs are written back with their own spelling.
package protocol StoredFormat: Sendable {
  /// Splits a file into its entries, in the file's order.
  ///
  /// Checks the whole file, including the inside of fragments, except for duplicate keys inside of
  /// a fragment.
  func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile

  /// Joins entries to a file, in their order.
  func join(_ entries: [KeyValueEntry], _ surroundings: FileSurroundings) -> [UInt8]

  /// Creates the entry of a key for an encoded value.
  func entry(_ key: StoredKey, _ value: ArraySlice<UInt8>) -> KeyValueEntry

  func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8]

  func decode(_ value: ArraySlice<UInt8>) throws(FormatError) -> ValueTree
}

/// The parts of a file.
package struct ParsedFile: Sendable {
  package var entries: [KeyValueEntry]
  package var surroundings: FileSurroundings

  package init(entries: [KeyValueEntry], surroundings: FileSurroundings = FileSurroundings()) {
    self.entries = entries
    self.surroundings = surroundings
  }
}

/// A key and its value, as bytes of a file.
package struct KeyValueEntry: Sendable {
  package let key: StoredKey
  /// The bytes of the value, in a text format preceded by those of the key, without separators
  /// between entries.
  package let text: ArraySlice<UInt8>
  /// The number of bytes in the text before the value.
  package let valueOffset: Int

  package init(key: StoredKey, text: ArraySlice<UInt8>, valueOffset: Int) {
    self.key = key
    self.text = text
    self.valueOffset = valueOffset
  }

  package var value: ArraySlice<UInt8> { text.dropFirst(valueOffset) }

  /// Returns the entry with another one's value; comments and the key's spelling are kept.
  package func with(_ new: KeyValueEntry) -> KeyValueEntry {
    if text.prefix(valueOffset) == new.text.prefix(new.valueOffset) { return new }
    return KeyValueEntry(
      key: key, text: text.prefix(valueOffset) + new.value, valueOffset: valueOffset)
  }
}

/// The parts of a text file before its first entry and after its last, such as comments.
package struct FileSurroundings: Sendable, Hashable {
  package var header: [UInt8]
  package var footer: [UInt8]

  package init(header: [UInt8] = [], footer: [UInt8] = []) {
    self.header = header
    self.footer = footer
  }
}

/// The reason why bytes or a value do not fit a format; it contains nothing of the value.
package struct FormatError: Error, Hashable, Sendable {
  /// The reason, as a clause: "a comma or a closing brace is missing".
  package let reason: String
  /// The offset in bytes from the beginning of the input; 0 when encoding.
  package let offset: Int

  package init(reason: String, offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  static func tooDeep(at offset: Int) -> FormatError {
    FormatError(
      reason: "arrays and dictionaries are nested more than \(FormatLimits.depth) deep",
      offset: offset)
  }

  /// Throws if one more array or dictionary inside of `depth` others exceeds the limit.
  static func requireRoom(within depth: Int, at offset: Int = 0) throws(FormatError) {
    if depth >= FormatLimits.depth { throw tooDeep(at: offset) }
  }
}

/// The limits of all formats.
package enum FormatLimits {
  /// The greatest depth of nested arrays and dictionaries, the file's own one included.
  ///
  /// Reading and writing use the thread's stack in proportion to the depth.
  package static let depth = 512

  /// The greatest size of a file in bytes; a larger file is another program's, or damaged.
  package static let fileSize = 64 << 20
}
