/// A file format of keys and values.
///
/// A value is kept as its bytes in the file, called a fragment, and is decoded only when it is
/// read. So values of other programs are written back unchanged.
package protocol StoredFormat: Sendable {
  /// Splits a file into its entries, in the order of the file.
  ///
  /// Validates the whole file, including fragments, except that duplicate keys within a fragment
  /// are not detected.
  func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile

  /// Joins entries into a file, in the given order.
  func join(_ entries: [KeyValueEntry], _ surroundings: FileSurroundings) -> [UInt8]

  /// Creates an entry from a key and an encoded value.
  func entry(_ key: StoredKey, _ value: ArraySlice<UInt8>) -> KeyValueEntry

  func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8]

  func decode(_ value: ArraySlice<UInt8>) throws(FormatError) -> ValueTree
}
