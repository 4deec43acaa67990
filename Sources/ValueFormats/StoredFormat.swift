/// A file format of keys and values.
///
/// A value's bytes are decoded only when it is read; otherwise, they are written back unchanged.
package protocol StoredFormat: Sendable {
  /// Validates a file, except for duplicate keys within values, and splits it into its entries.
  func parse(_ file: [UInt8]) throws(FormatError) -> ParsedFile

  /// Returns the bytes of a file with the entries of all parts and the text around them.
  func join(_ parts: [ArraySlice<KeyValueEntry>], _ surroundings: FileSurroundings) -> [UInt8]

  /// Returns a new entry in the layout of a file, with the `valueOffset` that `parse` finds in what
  /// `join` writes.
  func entry(
    _ key: StoredKey, _ value: ArraySlice<UInt8>, in surroundings: FileSurroundings
  ) -> KeyValueEntry

  /// Returns a value in the layout of a file, which has its own indentation and line ends.
  func value(_ value: ArraySlice<UInt8>, in surroundings: FileSurroundings) -> ArraySlice<UInt8>

  func encode(_ tree: ValueTree) throws(FormatError) -> [UInt8]
  func decode(_ value: ArraySlice<UInt8>) throws(FormatError) -> ValueTree

  /// Returns the offset in bytes of a part of a value, or of the innermost container that exists on
  /// the way to it.
  ///
  /// The value is read again, because places are only needed for messages.
  func offset(of path: [ValueStep], in value: ArraySlice<UInt8>) -> Int

  /// Returns the part of a value that an error at an offset in bytes is about.
  func part(at offset: Int, in value: ArraySlice<UInt8>) -> FormatPart

  /// Returns the offset in bytes of the key of an entry.
  func offsetOfKey(in entry: KeyValueEntry) -> Int

  /// Returns the text at the start of an entry that stays if the entry is removed: comments that an
  /// empty line separates from the key and the comments above it.
  func separateComments(in entry: KeyValueEntry) -> ArraySlice<UInt8>
}

extension StoredFormat {
  package func offset(of path: [ValueStep], in value: ArraySlice<UInt8>) -> Int { 0 }

  package func offsetOfKey(in entry: KeyValueEntry) -> Int { 0 }

  package func separateComments(in entry: KeyValueEntry) -> ArraySlice<UInt8> { [] }

  package func value(
    _ value: ArraySlice<UInt8>, in surroundings: FileSurroundings
  ) -> ArraySlice<UInt8> { value }

  package func part(at offset: Int, in value: ArraySlice<UInt8>) -> FormatPart { FormatPart() }

  /// Returns whether two values are the same, whatever their notation is; nil stands for none.
  package func isSame(_ first: ArraySlice<UInt8>?, _ second: ArraySlice<UInt8>?) -> Bool {
    if first == second { return true }
    guard let first, let second, let tree = try? decode(first), let other = try? decode(second)
    else { return false }
    return tree.isSame(as: other)
  }

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

/// A part of a value in the notation of its format: a member whose key is the problem, or a single
/// value.
package struct FormatPart: Sendable {
  package fileprivate(set) var path: [ValueStep] = []
  /// The text of a single value.
  private var text: ArraySlice<UInt8>?

  /// The text of a single value in a message: at most 40 characters; nil for a member.
  package var found: String? {
    // A code point has at most four bytes.
    text.map { String(decoding: $0.prefix(200), as: UTF8.self).shown(atMost: 40) }
  }

  /// Searches a container that a closure reads; adds a step to the path while it reads a part.
  mutating func search(_ step: ValueStep, _ body: (inout FormatPart) throws(FormatError) -> Void)
    throws(FormatError)
  {
    path.append(step)
    try body(&self)
    path.removeLast()
  }

  /// Ends the search at a single value.
  mutating func end(at text: ArraySlice<UInt8>) throws(FormatError) {
    self.text = text
    throw .endOfSearch
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
  /// The entry's bytes in the file: the value and, in a text format, all that belongs to it.
  ///
  /// These are the white space and the comments before the key, the key, in JSON the comma after
  /// the value, and the comments on its line. The texts of all entries leave no gap.
  package private(set) var text: ArraySlice<UInt8>
  /// The offset of the value in `text`, in bytes.
  package private(set) var valueOffset: Int
  /// The number of bytes after the value.
  package private(set) var trailCount = 0
  /// The number of bytes after the value up to the end of the comma; 0 if there is no comma.
  private var commaCount = 0
  /// The entry's place among those of the file, which have ascending numbers.
  package var position = 0

  package init(key: StoredKey, text: ArraySlice<UInt8>, valueOffset: Int, position: Int = 0) {
    self.key = key
    self.text = text
    self.valueOffset = valueOffset
    self.position = position
  }

  /// The value; a new one leaves the entry's comments and its notation of the key unchanged.
  package var value: ArraySlice<UInt8> {
    get { text.dropFirst(valueOffset).dropLast(trailCount) }
    set {
      text =
        valueOffset + trailCount == 0
        ? newValue : text.prefix(valueOffset) + newValue + text.suffix(trailCount)
    }
  }

  var hasComma: Bool { commaCount > 0 }

  /// The text before and after the comma, or the place for one.
  var textAroundComma: (ArraySlice<UInt8>, ArraySlice<UInt8>) {
    (text.dropLast(trailCount - max(commaCount - 1, 0)), rest)
  }

  var hasRest: Bool { trailCount > commaCount }

  /// The text after the value and the comma: comments and white space.
  var rest: ArraySlice<UInt8> { text.suffix(trailCount - commaCount) }

  /// Extends an entry that ends with its value to a longer part of the file.
  mutating func extend(to text: ArraySlice<UInt8>, comma: Int?) {
    let end = self.text.endIndex
    (self.text, trailCount) = (text, text.endIndex - end)
    if let comma { commaCount = comma + 1 - end }
  }

  /// Inserts comments of removed entries before the entry, and an empty line between them.
  package mutating func insert(_ comments: [UInt8], in surroundings: FileSurroundings) {
    let lineEnds = text.prefix(while: \.isWhitespace).lineEndCount
    let start = comments + (lineEnds..<max(lineEnds, 2)).flatMap { _ in surroundings.lineEnd }
    valueOffset += start.count
    text = start + text
  }
}
