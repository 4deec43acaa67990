/// A file format of keys and values.
///
/// A value's bytes are decoded only when it is read; otherwise, they are written back unchanged.
package protocol StoredFormat: Sendable {
  /// Validates a file, except for duplicate keys within values, and splits it into its entries.
  func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile

  /// Returns the bytes of a file with the entries of all parts and the text around them.
  func join(_ parts: [ArraySlice<KeyValueEntry>], _ surroundings: FileSurroundings) -> [UInt8]

  /// Returns an entry with the `valueOffset` that `parse` finds in what `join` writes.
  func entry(_ key: StoredKey, _ value: ArraySlice<UInt8>) -> KeyValueEntry

  func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8]
  func decode(_ value: ArraySlice<UInt8>) throws(FormatError) -> ValueTree

  /// Returns the offset in bytes of a part of a value, or of the innermost container that exists on
  /// the way to it.
  ///
  /// The value is read again, because places are only needed for messages.
  func offset(of path: [ValueStep], in value: ArraySlice<UInt8>) -> Int

  /// Returns the offset in bytes of the key of an entry.
  func offsetOfKey(in entry: KeyValueEntry) -> Int
}

extension StoredFormat {
  package func offset(of path: [ValueStep], in value: ArraySlice<UInt8>) -> Int { 0 }

  package func offsetOfKey(in entry: KeyValueEntry) -> Int { 0 }

  /// Returns the bytes of a value, with an error that names its type.
  package func encode(
    _ tree: ValueTree, of type: Any.Type
  ) throws(ValueCodingError) -> [UInt8] {
    do throws(FormatError) {
      return try encode(tree)
    } catch {
      throw ValueCodingError(.format(error), of: type)
    }
  }

  /// Decodes the bytes of a value, with an error that names its type.
  package func decode(
    _ value: ArraySlice<UInt8>, of type: Any.Type
  ) throws(ValueCodingError) -> ValueTree {
    do throws(FormatError) {
      return try decode(value)
    } catch {
      throw ValueCodingError(.format(error), of: type)
    }
  }
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
  /// The offset of the first of two equal keys; nil for any other error.
  package let firstOffset: Int?

  package init(reason: String, offset: Int, firstOffset: Int? = nil) {
    self.reason = reason
    self.offset = offset
    self.firstOffset = firstOffset
  }

  static func duplicateKey(at offset: Int, first: Int?) -> FormatError {
    FormatError(reason: "duplicate key", offset: offset, firstOffset: first)
  }

  /// The error that ends the search for a part of a value.
  static var endOfSearch: FormatError { FormatError(reason: "found", offset: 0) }

  static func tooDeep(at offset: Int) -> FormatError {
    FormatError(
      reason: "arrays and dictionaries are nested more than \(FormatLimits.depth) levels deep",
      offset: offset)
  }

  /// Throws an error if a container that is nested in `depth` others is too deep.
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

/// A key and its value in a file.
package struct KeyValueEntry: Equatable, Sendable {
  package let key: StoredKey
  /// The entry's bytes in the file: the value, preceded by the key in a text format.
  package private(set) var text: ArraySlice<UInt8>
  /// The offset of the value in `text`, in bytes.
  package let valueOffset: Int

  package init(key: StoredKey, text: ArraySlice<UInt8>, valueOffset: Int) {
    self.key = key
    self.text = text
    self.valueOffset = valueOffset
  }

  /// The value; a new one leaves the entry's comments and its notation of the key unchanged.
  package var value: ArraySlice<UInt8> {
    get { text.dropFirst(valueOffset) }
    set { text = valueOffset == 0 ? newValue : text.prefix(valueOffset) + newValue }
  }
}

/// The text of a file before its first entry and after its last entry, such as comments.
package struct FileSurroundings: Sendable, Hashable {
  package var header: [UInt8] = []
  package var footer: [UInt8] = []
}
