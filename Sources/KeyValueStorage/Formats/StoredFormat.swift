/// How keys and values are written to a file, and read from it.
///
/// A value is handled as the bytes that stand for it in the file, its fragment; only a fragment that
/// somebody asks for is decoded. So what other programs wrote is written back as they spelled it.
protocol StoredFormat: Sendable {
  /// Splits a file into its entries, in the order that the file has them in.
  ///
  /// The whole file is checked, the inside of fragments as well, except for duplicate keys inside of
  /// a fragment.
  func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile

  /// Writes a file with the entries in their order.
  func join(_ entries: [KeyValueEntry], _ surroundings: FileSurroundings) -> [UInt8]

  /// The entry of a key, for a value that was encoded.
  func entry(_ key: StoredKey, _ value: EncodedValue) -> KeyValueEntry

  func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8]

  func decode(_ value: EncodedValue) throws(FormatError) -> ValueTree
}

/// A file, taken apart.
struct ParsedFile: Sendable {
  var entries: [KeyValueEntry]
  var surroundings: FileSurroundings
}

/// What a text file has before its first entry and after its last, such as comments.
struct FileSurroundings: Sendable, Hashable {
  var header: [UInt8] = []
  var footer: [UInt8] = []
}

/// Why bytes are not of a format, or a value does not fit into it; never with anything of the value.
struct FormatError: Error, Hashable, Sendable {
  /// What is wrong, as a clause: "a comma or a closing brace is missing".
  let reason: String
  /// Where, in bytes from the beginning of what was read; 0 when encoding.
  let offset: Int
}

/// What holds for all formats.
enum FormatLimits {
  /// How deep arrays and dictionaries may be nested in one another, the file's own one included.
  ///
  /// Reading and writing them takes as much of the thread's stack.
  static let depth = 512

  /// How many bytes a file may have: settings with more are another program's file, or damaged.
  static let fileSize = 64 << 20
}
